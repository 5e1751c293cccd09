import {readFileSync} from "node:fs"
import {NoOperationTraceWriter, parseWorkflow} from "@actions/workflow-parser"

/**
 * The complaints of GitHub's own parser about a file. This runs on Bun, because the parser imports JSON in a way that
 * Node does not support.
 */
const errorsIn = (file: string): readonly string[] =>
  parseWorkflow({name: "check.yml", content: readFileSync(file, "utf8")}, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({message}) => message)

process.stdout.write(JSON.stringify(process.argv.slice(2).map(errorsIn)))
