import {readFileSync} from "node:fs"
import {NoOperationTraceWriter, parseWorkflow} from "@actions/workflow-parser"

/** On Bun, since the parser imports JSON as no Node does: what GitHub's own parser objects to in each of the files named. */
const errorsIn = (file: string): readonly string[] =>
  parseWorkflow({name: "check.yml", content: readFileSync(file, "utf8")}, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({message}) => message)

process.stdout.write(JSON.stringify(process.argv.slice(2).map(errorsIn)))
