package api_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/pb33f/go-yaml"
)

// The document of the root mount is made from that of the Unity Catalog REST API, so that the two spellings
// of one API cannot drift apart: go test ./api -update.

var update = flag.Bool("update", false, "write root.yaml anew")

func TestRoot(t *testing.T) {
	got := derive(t, load(t, "management.yaml"), load(t, "testdata/root.yaml"))
	if *update {
		if err := os.WriteFile("root.yaml", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("root.yaml")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("root.yaml is not what is made from management.yaml (%v); run go test ./api -update", err)
	}
}

// TestDerive shows what becomes of each kind of thing.
func TestDerive(t *testing.T) {
	parse := func(text string) *yaml.Node {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		return n.Content[0]
	}
	got := derive(t, parse(`
paths:
  /a/{full_name}:
    parameters:
      - {name: full_name, in: path, description: 'See created_at and `+"`created_at`"+`.', schema: {type: string}}
    get: {responses: {"200": {$ref: '#/components/responses/Info'}, "404": {$ref: '#/components/responses/Gone'}}, tags: [x]}
  /external-locations:
    get:
      responses:
        "200": {links: {Get: {parameters: {path.full_name: $response.body#/full_name}}}}
  /b: {x-unity-only: true, get: {responses: {"200": {$ref: '#/components/responses/Alone'}}}}
components:
  responses:
    Info: {content: {application/json: {schema: {$ref: '#/components/schemas/Info'}, examples: {Info: {$ref: '#/components/examples/Info'}}}}}
    Gone: {content: {application/json: {schema: {$ref: '#/components/schemas/GoneError'}, examples: {Gone: {$ref: '#/components/examples/Gone'}}}}}
    Alone: {description: nobody}
  schemas:
    Time: {type: integer}
    MaybePrincipal: {type: [string, "null"]}
    Purpose: {type: string, description: What for., enum: [STORAGE, SERVICE]}
    GoneError: {allOf: [{}, {properties: {error_code: {enum: [NOT_FOUND, TABLE_NOT_FOUND]}}}]}
    Info:
      required: [full_name, created_at, created_by]
      properties:
        full_name: {type: string}
        created_at: {$ref: '#/components/schemas/Time'}
        created_by: {$ref: '#/components/schemas/MaybePrincipal'}
        the_id: {x-unity-only: true, type: string}
        purpose: {anyOf: [{$ref: '#/components/schemas/Purpose'}]}
        properties: {type: object}
  examples:
    Info: {value: {full_name: a.b, created_at: 5, created_by: null, the_id: x, purpose: SERVICE, properties: {a_b: full_name}}}
    Gone: {value: {error_code: NOT_FOUND, message: m, details: [{'@type': x, reason: NOT_FOUND}]}}
`), parse(`{components: {schemas: {Time: {type: string}}}}`))
	want := head + `paths:

  /a/{fullName}:
    parameters:
      - {name: fullName, in: path, description: 'See created_at and ` + "`createdAt`" + `.', schema: {type: string}}
    get: {responses: {"200": {$ref: '#/components/responses/Info'}, "404": {$ref: '#/components/responses/Gone'}}, tags: [x]}

  /external_locations:
    get:
      responses:
        "200": {links: {Get: {parameters: {path.fullName: $response.body#/fullName}}}}
components:
  responses:
    Info: {content: {application/json: {schema: {$ref: '#/components/schemas/Info'}, examples: {Info: {$ref: '#/components/examples/Info'}}}}}
    Gone: {content: {application/json: {schema: {$ref: '#/components/schemas/GoneError'}, examples: {Gone: {$ref: '#/components/examples/Gone'}}}}}
  schemas:
    Time: {type: string}
    MaybePrincipal: {type: [string, "null"]}
    Purpose: {type: integer, description: 'What for. 1 STORAGE, 2 SERVICE.', enum: [1, 2]}
    GoneError: {allOf: [{}, {properties: {code: {enum: [5]}, details: {items: {properties: {reason: {enum: [NOT_FOUND, TABLE_NOT_FOUND]}}}}}}]}
    Info:
      required: [fullName, createdAt]
      properties:
        fullName: {type: string}
        createdAt: {$ref: '#/components/schemas/Time'}
        createdBy: {$ref: '#/components/schemas/MaybePrincipal'}
        purpose: {anyOf: [{$ref: '#/components/schemas/Purpose'}]}
        properties: {type: object}
  examples:
    Info: {value: {fullName: a.b, createdAt: "5", purpose: 2, properties: {a_b: full_name}}}
    Gone: {value: {code: 5, message: m, details: [{'@type': x, reason: NOT_FOUND, domain: unitycatalog}]}}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const head = "# Made from management.yaml; do not edit. See root_test.go.\n"

func load(t *testing.T, file string) *yaml.Node {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}
