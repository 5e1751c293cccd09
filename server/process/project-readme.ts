import type {Call} from "./toolchain.ts"

export interface ReadmeOptions {
  /** The README of the template in the repository. */
  readonly text: string
  /** The README of the starter; its section on running a project serves all projects. */
  readonly starter: string
  readonly name: string
  readonly call: Call
}

/**
 * Returns the README of a project: the template's, with the project's name, the starter's section on running it, and the
 * commands of this machine. Links to pages of svc become plain text, because a project does not have these pages.
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

/** Matches up to the next heading of the same level, or to the end. */
const runSection = /^## Run it\n[\s\S]*?(?=^## |(?![\s\S]))/m
