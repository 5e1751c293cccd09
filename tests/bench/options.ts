import {parseArgs} from "node:util"
import {runtimes, type TestRuntime} from "../support/host/runtimes.ts"
import type {Row} from "./row.ts"
import {pageRows, rooms, rows, rowsApart} from "./rows.ts"

const listed = (heading: string, rows: readonly Row[]) =>
  `  ${heading}\n${rows.map(({name, summary}) => `    ${name.padEnd(16)}${summary}`).join("\n")}`

const list = [
  ...Object.entries(rooms).map(([room, rows]) => listed(`${room}/`, rows)),
  listed("only if named", rowsApart),
].join("\n")

export const usage = `bun run bench [<row> …] [options]                     each row against its yardstick
bun run bench [<row> …] --compare <ref> [options]     the working tree against an older commit, alternately
bun run bench page [<row> …] --compare <ref> [options]  the same, written into docs/reference/performance.md

${list}

  --compare <ref> a branch, a tag or a commit; this bench builds it in a scratch folder and measures it
  --pairs <n>     interleaved pairs of each figure (default 7; fewer show a direction, not a result)
  --on <name>     only this runtime; repeat it for several: ${runtimes.map(({name}) => name).join(", ")}
  --json          print the figures as JSON, on one line
  --rows <n>      events in the inbox for backlog (default 1000000)

The page takes ${pageRows.map(({name}) => name).join(", ")}.
Node runs the bundle: bun run build makes it; --compare builds both sides. Progress goes to stderr.
Best on a machine that does nothing else. BENCH_STACK=1 prints where an error came from.`

export interface Options {
  readonly task: "help" | "measure" | "compare" | "page"
  readonly rows: readonly Row[]
  /** The commit to compare with; empty without a comparison. */
  readonly ref: string
  readonly pairs: number
  readonly runtimes: readonly TestRuntime[]
  readonly events: number
  readonly json: boolean
}

const choose = <T extends {readonly name: string}>(what: string, all: readonly T[], names: readonly string[]): T[] =>
  names.map(name => {
    const found = all.find(each => each.name === name)
    if (found === undefined)
      throw new Error(`there is no ${what} "${name}"; there are ${all.map(each => each.name).join(", ")}`)
    return found
  })

const countOf = (option: string, text: string): number => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new Error(`--${option} must be a number above 0`)
  return count
}

/** Throws an error for people if the arguments are invalid. */
export const readOptions = (args: readonly string[]): Options => {
  const {values, positionals} = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: {type: "boolean", short: "h", default: false},
      json: {type: "boolean", default: false},
      compare: {type: "string", default: ""},
      pairs: {type: "string", default: "7"},
      rows: {type: "string", default: "1000000"},
      on: {type: "string", multiple: true, default: runtimes.map(({name}) => name)},
    },
  })
  const isPage = positionals[0] === "page"
  if (isPage && values.compare === "") throw new Error("the page needs --compare <ref>: it shows ratios to a commit")
  const names = isPage ? positionals.slice(1) : positionals
  const usual = isPage ? pageRows : rows
  const task = isPage ? "page" : values.compare === "" ? "measure" : "compare"
  return {
    task: values.help ? "help" : task,
    rows: names.length === 0 ? usual : choose("row", [...rows, ...rowsApart], names),
    ref: values.compare,
    pairs: countOf("pairs", values.pairs),
    runtimes: choose("runtime", runtimes, values.on),
    events: countOf("rows", values.rows),
    json: values.json,
  }
}
