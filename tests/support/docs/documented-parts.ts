import {readDocuments} from "./documents.ts"
import {notRun} from "./not-run.ts"

/** The commands of one part of a page: between two `##` headings. */
export interface DocumentedPart {
  readonly page: string
  /** Empty above the first `##` heading. */
  readonly heading: string
  /** A command that continues on further lines is one command. */
  readonly commands: readonly string[]
}

const commandsOf = (part: string): readonly string[] =>
  [...part.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].flatMap(([, indent = "", body = ""]) =>
    linesOf(body.replaceAll(new RegExp(`^${indent}`, "gm"), "")),
  )

/** A backslash at the end of a line, or an open quote, continues the command on the next line. */
const linesOf = (body: string): readonly string[] => {
  const commands: string[] = []
  let open = ""
  for (const line of body.replaceAll("\\\n", "").split("\n")) {
    open = open === "" ? line : `${open}\n${line}`
    if (open.replace(/ +# .*$/, "").split("'").length % 2 === 0) continue
    if (open.trim() !== "" && !open.startsWith("#")) commands.push(open)
    open = ""
  }
  return commands
}

/** Every part of the documentation that has commands. */
export const documentedParts: readonly DocumentedPart[] = readDocuments()
  .filter(({path}) => !path.startsWith("docs/reference/"))
  .flatMap(({path, text}) =>
    text.split(/^## /m).map((part, index) => ({
      page: path,
      heading: index === 0 ? "" : (part.split("\n")[0] ?? ""),
      commands: commandsOf(part),
    })),
  )
  .filter(({commands}) => commands.length > 0)

/** Whether the list of commands that no test runs has this one. */
export const isNotRun = (page: string, command: string): boolean =>
  notRun.some(each => each.page === page && each.starts.some(start => command.startsWith(start)))
