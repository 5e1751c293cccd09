import {dirname} from "node:path"
import {parseArgs} from "node:util"
import {arrowsOf, circlesOf, readImports, roomOf, sourceFiles} from "./graph.ts"
import {limits} from "./limits.ts"

const usage = `bun run plan [--arrows]

The plan of the program: its rooms (the folders at the top, server/ opened one level), with their files and lines; how many
arrows there are (imports from one room into another); and the circles of files.

  --arrows   list every arrow, with the number of its imports

It exits with 1 if the program exceeds a limit of scripts/plan/limits.ts.`

const {values} = parseArgs({
  options: {help: {type: "boolean", short: "h", default: false}, arrows: {type: "boolean", default: false}},
})
const print = (text: string) => process.stdout.write(`${text}\n`)
if (values.help) {
  print(usage)
  process.exit(0)
}

const files = sourceFiles()
const imports = readImports(files)
const arrows = arrowsOf(imports)
const circles = circlesOf(imports)
const rooms = Map.groupBy(files, roomOf)
const folders = Map.groupBy(files, file => dirname(file))

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
for (const circle of circles) print(`circle: ${circle.join(", ")}`)
const crowded = [...folders].filter(([, own]) => own.length > limits.files)
for (const [folder, own] of crowded) print(`crowded: ${folder} has ${own.length} files`)

const figures = {rooms: rooms.size, arrows: arrows.size, circles: circles.length}
print(
  Object.entries(figures)
    .map(([name, figure]) => `${figure} ${name} (at most ${limits[name as keyof typeof figures]})`)
    .join(", "),
)
const isOver = figures.rooms > limits.rooms || figures.arrows > limits.arrows || figures.circles > limits.circles
process.exit(isOver || crowded.length > 0 ? 1 : 0)
