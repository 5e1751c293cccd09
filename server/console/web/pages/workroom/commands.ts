import type {ItemCommand} from "../../../../../shared/api/item-rules.ts"
import {itemEvents} from "../../../../../shared/api/item-rules.ts"
import type {commandBodies, Item} from "../../../../../shared/api/workroom.ts"
import type {Envelope} from "../../../../../shared/events/event-stream.ts"
import type {Static} from "../../../../../shared/type.ts"
import {type HostClient, Refusal} from "../../host/client.ts"
import {dataOf} from "../../host/links.ts"
import type {Deed} from "../../state/notices.svelte.ts"
import {texts} from "../../texts/texts.ts"

const t = texts.workroom

export interface Given {
  readonly item: number
  readonly command: ItemCommand
  /** The label of the command. */
  readonly label: string
  /** The revision that the operator saw when the question opened. */
  readonly expectedRevision: number
  readonly body: Readonly<Record<string, unknown>>
  /** Receives the item after the command. */
  readonly onAnswer: (item: Item) => void
}

/** Sends a command for an item once, for the revision that the operator saw. */
export const commandDeed = (
  client: HostClient,
  {item, command, label, expectedRevision, body, onAnswer}: Given,
): Deed<Item> => ({
  title: t.deeds(label, item),
  run: () =>
    client
      .post(`/api/workroom/items/:id/${command}`, {id: item, body: {...body, expectedRevision}})
      .then(made => {
        onAnswer(made)
        return made
      })
      .catch(error => Promise.reject(lostOf(error, expectedRevision) ?? error)),
  say: ({state, revision}) => t.becomes(t.states[state], revision),
  event: {types: [itemEvents[command]], fits: tellsOf},
})

/** Adds an item. A retry after a lost answer sends the same `request`, so that only one item is added. */
export const addDeed = (client: HostClient, request: string, body: Static<typeof commandBodies.add>): Deed<Item> => ({
  title: t.add,
  run: () => client.post("/api/workroom/items", {body: {...body, request}}),
  say: ({id}) => t.added(id),
  event: {types: [itemEvents.add], fits: tellsOf},
})

const tellsOf = (event: Envelope, {id, revision}: Item): boolean => {
  const {item, revision: told} = dataOf(event)
  return item === id && told === revision
}

/** Explains that somebody else changed the item first; undefined for any other error. */
const lostOf = (error: unknown, against: number): Error | undefined => {
  if (!(error instanceof Refusal) || error.code !== "workroom_stale") return undefined
  const {current} = error
  if (typeof current !== "object" || current === null || !("state" in current) || !("revision" in current))
    return undefined
  return new Error(t.lost(wordOf(String(current.state)), Number(current.revision), against))
}

const wordOf = (state: string): string => Object.entries(t.states).find(([key]) => key === state)?.[1] ?? state
