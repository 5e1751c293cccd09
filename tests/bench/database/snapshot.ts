import {rmSync, statSync} from "node:fs"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {databaseOf, databaseSize, holdContest, makeLargeProject, waitFigures} from "../measure/during.ts"
import {type Figure, sides} from "../measure/figure.ts"
import {startHost} from "../measure/host.ts"
import {onEachRuntime, onOneNode, type Row, type RowOptions} from "../row.ts"

const childModule = ({name}: TestRuntime) =>
  name === "bun" ? `${root}server/database/upkeep/database-child.ts` : `${root}dist/database-child.js`

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  progress(`making a database of ${databaseSize / 1e9} GB`)
  // Room for its copy, the control's file, and the same again.
  const project = await makeLargeProject(runtime, 3)
  progress(`snapshots on ${runtime.name}`)
  const database = databaseOf(project)
  const copy = `${project.folder}/copy`
  const host = await startHost(runtime, project)
  const contest = await holdContest(host, copy, {
    pairs,
    subject: () => [childModule(runtime), "snapshot", database, `${copy}.partial`, copy],
    bytes: () => statSync(database).size,
    clear: () => rmSync(copy, {force: true}),
  })
  await host.stop()
  project.remove()
  return [
    ...waitFigures(contest, `on ${runtime.name}`),
    {
      name: `the snapshot on ${runtime.name}`,
      unit: "s",
      value: contest.time.subject,
      detail: sides(contest.time, "s"),
    },
  ]
}

export const snapshot: Row = {
  name: "snapshot",
  summary:
    "what clients wait while the child process of a snapshot copies a 1 GB database, against one that writes as many bytes (Bun and Node 24)",
  measure: onOneNode(onEachRuntime(measureOn)),
}
