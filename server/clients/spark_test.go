//go:build unix

package clients_test

import (
	"path/filepath"
	"testing"
)

// TestSpark: Spark SQL with delta-spark, whose delta/v1 client is the one in production. One Spark, which is slow to
// start, uses both kinds of servers.
func TestSpark(t *testing.T) {
	leg(t, "spark", jdk, maven, python)
	spark := pythonEnv(t, "spark")
	jars := sparkJars(t, spark)
	s, other := serve(t, guarded), serve(t, open)
	spark.drive(t, beside(t, "spark/driver.py"), s.argv("spark", jars, other.url)...)
}

// sparkJars returns a folder with what PySpark does not bring: Delta, its client, and our catalog class.
func sparkJars(t *testing.T, spark venv) string {
	t.Helper()
	dir := cached(t, "spark-jars", "", []string{"spark/pom.xml", "spark/requirements.txt", "spark/src"}, func(dir string) {
		build, classes, to := filepath.Join(dir, "build"), filepath.Join(dir, "classes"), filepath.Join(dir, "jars")
		copyTree(t, build, "spark")
		mavenJars(t, build, to, "-DincludeGroupIds=io.delta,io.unitycatalog,org.openapitools")
		own := filesBelow(t, filepath.Join(string(spark), "lib"), ".jar")
		javac(t, filepath.Join(build, "src"), classes, append(filesBelow(t, to, ".jar"), own...))
		run(t, installLimit, command{argv: []string{"jar", "--create", "--file", filepath.Join(to, "catalog.jar"), "-C", classes, "."}})
	})
	return filepath.Join(dir, "jars")
}
