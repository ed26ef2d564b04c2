"""Runs commands of the AWS CLI, one after the other: each line of standard input is a JSON list of arguments, each line of
standard output the JSON list of exit code, output and errors. By itself, since the CLI brings a botocore of its own."""
import contextlib
import io
import json
import sys

from awscli.clidriver import AWSCLIEntryPoint, create_clidriver


def run(program, arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = program.main(arguments)
        except SystemExit as ended:  # wrong arguments
            code = ended.code
    return code, out.getvalue(), err.getvalue()


def main():
    program = AWSCLIEntryPoint(create_clidriver())
    for line in sys.stdin:
        print(json.dumps(run(program, json.loads(line))), flush=True)


main()
