import {isProblem, type WorkItem, type WorkItemActor, type WorkItems} from "svc-runtime"

/** Marks the work items that are tickets. */
const label = "ticket"

/** The next change of an item on its way to an end, by its state. */
const nextChange: Readonly<Record<string, "claim" | "unblock" | "review" | "accept">> = {
  open: "claim",
  blocked: "unblock",
  active: "review",
  review: "accept",
}

export const isEnded = ({state}: WorkItem): boolean => nextChange[state] === undefined

/** Returns the reason of a cancelled item, behind a colon; empty if there is none. The workroom keeps it as a comment. */
export const reasonOf = ({comments, updatedAt}: WorkItem): string => {
  const last = comments.at(-1)
  return last?.at === updatedAt ? `: ${last.text}` : ""
}

/** Resolves to undefined if the item does not allow the change: the team may have changed it at the same time. */
const unlessRefused = (change: Promise<WorkItem>): Promise<WorkItem | undefined> =>
  change.catch(error => {
    if (isProblem(error, "workroom_state") || isProblem(error, "workroom_unknown")) return undefined
    throw error
  })

/** The work items of the tickets. Each function has one effect, however often its handler is repeated. */
export const createItems = (items: WorkItems, withText: boolean) => ({
  /** Adds the item of a new ticket. Only with its text does it name the user: the Journal never forgets. */
  open: (endpoint: string, user: string, text: string, team: {endpoint: string; channel: string}, request: string) => {
    const common = {labels: [label], conversation: team}
    if (!withText) return items.add({...common, title: `Ticket from ${endpoint}`}, {request})
    const [title, description] = text.length <= 200 ? [text, ""] : [`${text.slice(0, 199)}…`, text]
    return items.add({...common, title: title.replace(/\s+/g, " "), description}, {endpoint, user, request})
  },

  /** Returns the item of a ticket; undefined if it has none. */
  of: (n: number): WorkItem | undefined => {
    const item = items.get(n)
    return item?.labels.includes(label) === true ? item : undefined
  },

  /** Makes the user its assignee. Resolves to undefined if that is impossible. */
  async take(n: number, by: WorkItemActor): Promise<WorkItem | undefined> {
    if (this.of(n)?.state === "blocked")
      await unlessRefused(items.change(n, {is: "unblock"}, {...by, request: `${by.request}/unblock`}))
    return this.of(n) === undefined ? undefined : unlessRefused(items.change(n, {is: "claim"}, by))
  },

  /** Brings it to its end, from whatever state it has. */
  async close(n: number, by: WorkItemActor): Promise<void> {
    for (let item = this.of(n); item !== undefined; ) {
      const is = nextChange[item.state]
      if (is === undefined) return
      item = await unlessRefused(items.change(n, {is}, {...by, request: `${by.request}/${is}`}))
    }
  },

  /** Cancels the item of a ticket that could not be opened. */
  async cancel(n: number, request: string): Promise<void> {
    await unlessRefused(items.change(n, {is: "cancel"}, {request: `${request}/cancel`}))
  },

  /** Adds what the team or the user wrote, if the items have texts. */
  async comment(n: number, text: string, by: WorkItemActor): Promise<void> {
    if (withText && this.of(n) !== undefined) await unlessRefused(items.change(n, {is: "comment", text}, by))
  },

  watch: (hear: (item: WorkItem) => unknown) =>
    items.watch(item => (item.labels.includes(label) ? hear(item) : undefined)),
})
