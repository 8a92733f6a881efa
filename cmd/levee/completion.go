package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" optional:"" enum:"bash,zsh,fish," default:"" help:"bash, zsh or fish. Default: the one in the variable SHELL."`
}

// completions is what the shells are told: to run levee, which finds the line so far in its environment.
var completions = map[string]string{
	"bash": `# Put this into ~/.bashrc:  source <(levee completion bash)
complete -o default -C levee levee
`,
	"zsh": `# Put this into ~/.zshrc:  source <(levee completion zsh)
autoload -U +X bashcompinit && bashcompinit
complete -o default -C levee levee
`,
	"fish": `# Put this into ~/.config/fish/config.fish:  levee completion fish | source
function __complete_levee
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    levee
end
complete -f -c levee -a "(__complete_levee)"
`,
}

func (c completionCmd) Run(o output) error {
	shell := c.Shell
	if shell == "" {
		shell = filepath.Base(os.Getenv("SHELL"))
	}
	text, ok := completions[shell]
	if !ok {
		return fmt.Errorf("the variable SHELL names no shell that can complete: give bash, zsh or fish")
	}
	_, err := fmt.Fprint(o.out, text)
	return err
}

// completePrivileges has a shell that asks be told the values of --privilege. Else they are the server's to check, which
// takes them in any case and with blanks.
func completePrivileges(k *kong.Kong) error {
	if os.Getenv("COMP_LINE") == "" {
		return nil
	}
	var all []string
	for _, p := range privileges {
		for _, name := range p.list {
			all = append(all, strings.ReplaceAll(string(name), " ", "_"))
		}
	}
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if f, ok := node.(*kong.Flag); ok && f.Name == "privilege" {
			f.Enum = strings.Join(all, ",")
		}
		return next(nil)
	})
}
