import {dirname} from "node:path"
import {parseArgs} from "node:util"
import {figures, groupByFolder} from "./figures.ts"
import {arrowsOf, circlesOf, pairsOf, readImports, roomOf, sourceFiles} from "./graph.ts"
import {type FigureName, judge, type Limit, limits} from "./limits.ts"
import {readTables} from "./tables.ts"

const usage = `bun run plan [--arrows] [--tables]

Prints the rooms of the program (the folders at the top, server/ opened one level) and what they import, the circles of
files, and the budget: each figure with its limit, and with the goal where there is one.

  --arrows   list every arrow (imports from one room into another), with the number of its imports, and the pairs of
             folders that import each other
  --tables   list every table with its room, and the files of other rooms whose SQL names it

It exits with 1 if a figure is over its limit in scripts/plan/limits.ts.`

const {values} = parseArgs({
  options: {
    help: {type: "boolean", short: "h", default: false},
    arrows: {type: "boolean", default: false},
    tables: {type: "boolean", default: false},
  },
})
const print = (text: string) => process.stdout.write(`${text}\n`)
if (values.help) {
  print(usage)
  process.exit(0)
}

const files = sourceFiles()
const imports = readImports(files)
const arrows = arrowsOf(imports)
const rooms = Map.groupBy(files, roomOf)

const countArrows = (room: string, at: "from" | "to") =>
  [...arrows.keys()].filter(arrow => arrow.split(" -> ")[at === "from" ? 0 : 1] === room).length

print("room                files  folders  imports rooms  imported by rooms")
for (const [room, own] of [...rooms].sort()) {
  const subfolders = new Set(own.map(file => dirname(file))).size
  const [out, into] = [countArrows(room, "from"), countArrows(room, "to")]
  print(
    `${room.padEnd(18)} ${String(own.length).padStart(6)} ${String(subfolders).padStart(8)} ${String(out).padStart(14)} ${String(into).padStart(18)}`,
  )
}
if (values.arrows) for (const [arrow, count] of [...arrows].sort()) print(`${arrow} (${count})`)
if (values.arrows) for (const pair of pairsOf(arrowsOf(imports, dirname))) print(`pair: ${pair}`)
for (const {name, owner, strangers} of values.tables ? readTables() : [])
  print(`table: ${[name, owner ?? "no owner", ...strangers].join(", ")}`)
for (const circle of circlesOf(imports)) print(`circle: ${circle.join(", ")}`)
for (const [folder, own] of groupByFolder(imports))
  if (own.length > limits.files.limit) print(`crowded: ${folder} has ${own.length} files`)

const written = (figure: number | undefined) => figure?.toLocaleString("en") ?? ""

/** Returns what a reader should do about a figure. */
const adviceOf = (name: FigureName, figure: number | undefined): string => {
  if (figure === undefined) return "not built: run bun run build"
  const {over, lower} = judge(name, figure)
  if (over > 0) return `OVER by ${written(over)}`
  return lower === undefined ? "" : `the limit can fall to ${written(lower)}`
}

print(`\n${"budget".padEnd(28)} ${"now".padStart(8)} ${"limit".padStart(8)} ${"goal".padStart(8)}`)
let isOver = false
for (const name of Object.keys(limits) as FigureName[]) {
  const {limit, goal}: Limit = limits[name]
  const figure = figures[name].count(imports)
  const columns = [figure, limit, goal].map(each => written(each).padStart(8)).join(" ")
  print(`${figures[name].what.padEnd(28)} ${columns}  ${adviceOf(name, figure)}`.trimEnd())
  isOver ||= figure !== undefined && judge(name, figure).over > 0
}
process.exit(isOver ? 1 : 0)
