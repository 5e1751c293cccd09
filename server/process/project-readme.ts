import type {Call} from "./toolchain.ts"

export interface ReadmeOptions {
  /** The README of the template, as it stands in the repository. */
  readonly text: string
  /** That of the starter, whose section on running a project is the same for all. */
  readonly starter: string
  readonly name: string
  readonly call: Call
}

/**
 * The README of a project: the template's, under the project's name, with the starter's way to run it and the commands of this
 * machine. Links to pages of svc, which a project does not have, become plain text.
 */
export const projectReadme = ({text, starter, name, call}: ReadmeOptions): string =>
  text
    .replace(/^# .*$/m, `# ${name}`)
    .replace(runSection, () => `${runSection.exec(starter)?.[0].trimEnd()}\n\n`)
    .trimEnd()
    .replace(/\[([^\]]*)\]\(\.\.\/[^)]*\)/g, "$1")
    .replace(/, from a checkout with .*(?=:$)/gm, "")
    .replace(/bun run --bun svc|bun run|bun(?= tests\/)|^svc(?= )/gm, found => commandOf(found, call))
    .concat("\n")

const commandOf = (found: string, {run, svc, file}: Call): string => {
  if (found === "bun run") return run
  return found === "bun" ? file : svc
}

/** Up to the next heading of its level, or to the end. */
const runSection = /^## Run it\n[\s\S]*?(?=^## |(?![\s\S]))/m
