"""Runs schemathesis against a server: driver.py URL TOKEN CATALOG DOCUMENT [OPTION OF st run ...]

The folder it is started in gets the files of tables. It says OK at its end if no answer was against
the document. hooks.py makes the tables, and schemathesis.toml says what is checked and what is not.
"""

import os
import subprocess
import sys

url, token, catalog, document, *options = sys.argv[1:]
name = os.path.splitext(os.path.basename(document))[0]
here = os.path.dirname(os.path.abspath(__file__))
environment = dict(
    os.environ,
    FUZZ_URL=url,
    FUZZ_TOKEN=token,
    FUZZ_CATALOG=catalog,
    FUZZ_DOCUMENT=name,
    FUZZ_SCHEMA="fuzz_" + name,
    FUZZ_FOLDER=os.getcwd(),
    SCHEMATHESIS_HOOKS=os.path.join(here, "hooks.py"),
)
st = [os.path.join(os.path.dirname(sys.executable), "st"), "--config-file", os.path.join(here, "schemathesis.toml")]
mount = "" if name == "root" else "/api/2.1/unity-catalog"
few = ["--max-examples", "30"] if name in ("management", "root") else []  # for each of many operations, most of them alike
run = ["run", document, "--url", url + mount, "--header", "Authorization: Bearer " + token, *few, *options]
code = subprocess.run(st + run, env=environment).returncode
if code:
    sys.exit(code)
print("OK")
