import {Cli, type CommandClass} from "clipanion"
import {commands, loadCommand} from "../../cli/commands.ts"
import {sentencesOf} from "../words/prose.ts"
import {code, page, prose} from "./markdown.ts"

const intro = `\`svc <command> --help\` shows the same. In a clone, run \`npx --yes bun@1.4.5 run svc <command>\`; in a project,
\`bun run --bun svc <command>\` or \`npx svc <command>\`. \`--no-\` negates a switch, as in \`--no-watch\`. Errors go to stderr. Only
terminals get colours (\`NO_COLOR\` turns them off). Exit codes: [exit-codes.md](exit-codes.md).

Commands find a running Host by the project's \`.svc/host.json\`. Their token is \`SVC_HTTP_TOKEN\`, else the one generated for the
run, else the one in the project's configuration and \`.env\`. \`SVC_PROJECT\` replaces \`--project\`.`

/** Writes one sentence a line, as on the handwritten pages. */
const paragraphs = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map(line => prose(line.trim()))
    .flatMap(line => (line.startsWith("- ") ? line : sentencesOf(line)))
    .join("\n")

export const commandsPage = async (): Promise<string> => {
  const classes = await Promise.all(Object.keys(commands).map(loadCommand))
  return page("Commands", intro, ...classes.map(section))
}

const section = (command: CommandClass): string => {
  const [definition] = Cli.from([command], {binaryLabel: "svc", binaryName: "svc", enableColors: false}).definitions()
  if (definition === undefined) throw new Error(`${command.name} has no usage`)
  const {description = "", details = "", examples = []} = command.usage ?? {}
  const options = definition.options.map(
    option => `- ${code(option.definition.replaceAll(/#\d/g, "<value>"))}: ${prose(option.description ?? "")}`,
  )
  const parts = [
    `## ${definition.path}`,
    code(definition.usage.replace(/(?<!>) \.\.\.$/, " [words]")),
    `${paragraphs(description).replace(/^./, letter => letter.toUpperCase())}.`,
    paragraphs(details),
    options.join("\n"),
    examples.map(([what, call]) => `${prose(what)}: ${code(call)}`).join("\n\n"),
  ]
  return parts.filter(part => part !== "").join("\n\n")
}
