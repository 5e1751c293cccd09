import {Option} from "clipanion"
import {CheckpointStore, detailOf, viewOf} from "../../server/recovery/checkpoint/store.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import type {CheckpointView} from "../../shared/api/checkpoint.ts"
import {ageOf, describeCheckpoint} from "../kit/checkpoint/view.ts"
import {bytes} from "../kit/print.ts"
import {type Columns, rowCommand, tableOf} from "../kit/rows.ts"
import {environment} from "../kit/stoppable-command.ts"

const storeIn = (folder: string) => new CheckpointStore(projectPaths(folder).checkpoints)

export const list = rowCommand({
  description: "list the checkpoints of the project, newest first",
  details: "Only a checkpoint that is `verified` and was not uploaded counts as a backup.",
  examples: [["The checkpoints of the project in this folder", "svc checkpoint list"]],
  options: {environment},
  run: async given => {
    const {checkpoints, damaged} = await storeIn(given.folder).list()
    const items = checkpoints.map(viewOf)
    const columns = {
      id: ({id}) => id,
      state: ({state, uploadedAt}) => (uploadedAt === null ? state : `${state}, uploaded`),
      age: ({createdAt}) => ageOf(createdAt),
      size: ({size}) => bytes(size),
      reason: ({reason}) => reason,
      generation: ({generation}) => generation,
      schema: ({schema}) => schema,
      commit: ({commit}) => commit?.slice(0, 12),
    } satisfies Columns<CheckpointView>
    given.show({items, damaged}, () =>
      [tableOf(columns, items), ...damaged.map(({id, why}) => `${id}  damaged: ${why}`)].join("\n"),
    )
  },
})

export const show = rowCommand({
  description: "show the contents of a checkpoint and the result of its verification",
  examples: [
    ["The newest checkpoint", "svc checkpoint show"],
    ["With every file", "svc checkpoint show 20261121-101500-3f9a1c --json"],
  ],
  options: {environment, id: Option.String({name: "id", required: false})},
  run: async given => {
    const stored = await storeIn(given.folder).get(given.id ?? "newest")
    given.show(detailOf(stored), () => describeCheckpoint(stored))
  },
})
