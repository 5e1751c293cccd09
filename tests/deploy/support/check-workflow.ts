import {readFileSync} from "node:fs"
import {NoOperationTraceWriter, parseWorkflow} from "@actions/workflow-parser"

/** What GitHub's own parser says about a file. It runs on Bun: Node does not support the parser's JSON imports. */
const errorsIn = (file: string): readonly string[] =>
  parseWorkflow({name: "check.yml", content: readFileSync(file, "utf8")}, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({message}) => message)

process.stdout.write(JSON.stringify(process.argv.slice(2).map(errorsIn)))
