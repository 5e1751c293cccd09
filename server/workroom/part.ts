import type {FiringTarget} from "../../shared/api/scheduled/jobs.ts"
import {hostActor} from "../../shared/api/workroom.ts"
import {by, single} from "../../shared/metrics/readings.ts"
import type {PluginDefinition} from "../../shared/sdk/plugin/plugin.ts"
import type {HostTexts} from "../messages/texts/host-texts.ts"
import type {Part} from "../runtime/part.ts"
import {addFrom} from "./bodies.ts"
import {workroomPlugin} from "./chat.ts"
import {openWorkroom, type WorkroomSetting} from "./open.ts"
import type {Workroom} from "./workroom.ts"

export interface WorkroomPart extends Part {
  readonly workroom: Workroom
  /** The built-in plugin `workroom`. */
  plugin(): Promise<{readonly default: PluginDefinition}>
  readonly target: FiringTarget
}

/** `running` has the texts of the running generation. Throws as `openWorkroom`. */
export const openWorkroomPart = async (
  {boot, ...setting}: Omit<WorkroomSetting, "config"> & {readonly boot: Pick<WorkroomSetting, "config">},
  running: {readonly current: {readonly snapshot: {readonly messages: {readonly texts: HostTexts}}} | undefined},
): Promise<WorkroomPart> => {
  const workroom = await openWorkroom({...setting, config: boot.config})
  return {
    name: "the workroom",
    workroom,
    plugin: async () => ({
      default: workroomPlugin(
        () => workroom,
        () => running.current?.snapshot.messages.texts,
      ),
    }),
    target: itemTarget(workroom),
    close: () => workroom.close(),
    metrics: [{read: () => readFigures(workroom)}],
    facts: {workroom: () => workroom.figures()},
    routes: async () => (await import("./routes.ts")).workroomRoutes(workroom),
  }
}

/** Each state has a series before its first item. */
const readFigures = (workroom: Workroom) => {
  const {states, overdue} = workroom.figures()
  return {
    svc_workroom_items: by("state", {...states}),
    svc_workroom_overdue_items: single(overdue),
    svc_workroom_commands_total: by("outcome", {...workroom.counts}),
  }
}

/** Adds an item under the run's id before the run has ended: at most one, whatever kills the process. */
const itemTarget = (workroom: Workroom): FiringTarget => ({
  problem: () => undefined,
  fire: async ({runId, target}) => {
    await workroom.run(addFrom(hostActor, {title: "", ...target.item, request: runId}))
    return {statements: []}
  },
})
