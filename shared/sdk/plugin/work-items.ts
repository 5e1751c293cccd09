import {service} from "./service.ts"

type Priority = "low" | "normal" | "high" | "urgent"

/** One of the team's work items. Times are ISO texts. */
export interface WorkItem extends Required<Omit<NewWorkItem, "assignee" | "conversation">> {
  readonly id: number
  /** Grows by one with each change. */
  readonly revision: number
  readonly state: "open" | "active" | "blocked" | "review" | "done" | "cancelled"
  readonly assignee: string | null
  readonly blocker: {readonly reason: string; readonly deadline: string | null; readonly overdue: boolean} | null
  readonly conversation: NewWorkItem["conversation"] | null
  readonly comments: readonly {readonly at: string; readonly actor: string; readonly text: string}[]
  readonly createdAt: string
  readonly createdBy: string
  readonly updatedAt: string
  /** The request of the last change, if it named one. */
  readonly request: string | null
}

export interface NewWorkItem {
  /** At most 200 characters. */
  readonly title: string
  /** At most 20,000 characters. */
  readonly description?: string
  readonly priority?: Priority
  readonly labels?: readonly string[]
  readonly assignee?: string
  /** The conversation that the item is about. */
  readonly conversation?: {readonly endpoint: string; readonly channel: string}
}

/** What somebody does with an item. The states of items decide which is possible: docs/workroom.md. */
export type WorkItemChange =
  | {readonly is: "claim"; readonly assignee?: string}
  /** `deadline` is an ISO time. */
  | {readonly is: "block"; readonly reason: string; readonly owner?: string; readonly deadline?: string}
  | {readonly is: "unblock" | "review" | "accept"}
  | {readonly is: "cancel"; readonly reason?: string}
  | {readonly is: "comment"; readonly text: string}

/** Who acts: this user of an endpoint, or the Host without one. The Journal names that user for ever. */
export interface WorkItemActor {
  readonly endpoint?: string
  readonly user?: string
  /** An id of this request, such as `<plugin>/<event.sn>`. svc carries out a repeated request once. */
  readonly request: string
}

/** The team's work items, for other plugins. Each change is durable once it resolves, whatever becomes of its handler. */
export interface WorkItems {
  /** Throws `request_invalid`, `workroom_failed`, `workroom_outcome_unknown`, `stopping`. */
  add(item: NewWorkItem, by: WorkItemActor): Promise<WorkItem>
  /** Throws the errors of `add`, `workroom_unknown`, and `workroom_state` if the item's state does not allow it. */
  change(id: number, change: WorkItemChange, by: WorkItemActor): Promise<WorkItem>
  /** Returns an item; undefined if there is none. */
  get(id: number): WorkItem | undefined
  /**
   * Calls `hear` with each item that anybody changes, until the returned function is called. Call it in
   * `plugin.onStart`, and compare the items there with what the plugin knows: nothing repeats a missed call.
   */
  watch(hear: (item: WorkItem) => unknown): () => void
}

/** The service of the built-in plugin `workroom`: `uses: {items: workItems}`. */
export const workItems = service<WorkItems>("workroom")
