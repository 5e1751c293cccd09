import {toJson} from "../../../shared/json.ts"
import {channelType, type User} from "../../../shared/sdk/content/satori.ts"
import {sha256Of} from "../../runtime/files.ts"
import type {AgentRun} from "../runs/run-rows.ts"

export const memoryScopes = ["user", "channel"] as const
export type MemoryScope = (typeof memoryScopes)[number]

/** A user in a channel, where an agent can remember. */
export interface MemoryPlace {
  readonly agent: string
  readonly endpoint: string
  readonly channel: string
  readonly user: User
  readonly isDirect: boolean
}

/** Returns the place of a run; undefined if it has no memory: without a user, or for a work item. */
export const memoryPlaceOf = ({
  agent,
  endpoint,
  channel,
  place: {user, channel: of},
  item,
}: Pick<AgentRun, "agent" | "endpoint" | "channel" | "place" | "item">): MemoryPlace | undefined =>
  endpoint === undefined || channel === undefined || user === undefined || item !== undefined
    ? undefined
    : {agent, endpoint, channel, user, isDirect: of?.type === channelType.direct}

/** Returns a mark that is a single word of the index. */
const markOf = (...parts: readonly (string | undefined)[]): string =>
  `m${sha256Of(toJson(parts.map(part => part ?? null))).slice(0, 24)}`

/**
 * Returns the marks of a new memory. Anyone can take a name that serves as id while its owner is offline, so the
 * account is part of a user's mark.
 */
export const marksOf = ({agent, endpoint, channel, user}: MemoryPlace, scope: MemoryScope) => {
  if (scope === "channel") {
    const mark = markOf(agent, endpoint, "channel", channel)
    return {owner: mark, spot: mark}
  }
  const owner = markOf(agent, endpoint, "user", user.id, user.account)
  return {owner, spot: markOf(owner, channel)}
}

/**
 * Returns the column and the marks by which a place finds its memories: those about the channel, and those about the
 * user that were made there. Only a direct conversation also gets what the user said elsewhere, because others read along in a
 * channel.
 */
export const visibleAt = (place: MemoryPlace) => {
  const column: "owner" | "spot" = place.isDirect ? "owner" : "spot"
  return {column, marks: memoryScopes.map(scope => marksOf(place, scope)[column])}
}
