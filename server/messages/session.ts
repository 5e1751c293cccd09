import {v7 as uuid} from "uuid"
import {h, type Node, textOf} from "../../shared/elements.ts"
import type {Log} from "../../shared/log.ts"
import type {Permission} from "../../shared/permission.ts"
import type {Content, Session, Target} from "../../shared/plugin.ts"
import {Problem} from "../../shared/problems.ts"
import type {StoredEvent} from "../capabilities/inbox.ts"
import {nodesOf, type OutboxDraft} from "../capabilities/outbox.ts"
import {parseContent} from "./parse-content.ts"

export interface OpenSession {
  readonly session: Session
  /** Ends the session: what it queued. Later calls throw `late`. */
  end(): readonly OutboxDraft[]
}

/** One event in the hands of one handler. `signal` is aborted when the handler's time ends. */
export const openSession = (
  stored: StoredEvent,
  log: Log,
  signal: AbortSignal,
  permissionOf: () => Permission,
): OpenSession => {
  const {event, endpoint} = stored
  const drafts: OutboxDraft[] = []
  let ended = false
  let elements: readonly Node[] | undefined
  const queue = (draft: OutboxDraft): Promise<string> => {
    if (ended || signal.aborted) {
      return Promise.reject(new Problem("late", "this handler has ended; what it sends now is refused"))
    }
    drafts.push(draft)
    return Promise.resolve(draft.id)
  }
  const send = (content: Content, to?: Target) => {
    const target = to ?? {endpoint, channel: event.channel?.id ?? event.user?.id ?? ""}
    return queue({id: uuid(), kind: "message", ...target, content: nodesOf(content)})
  }
  const session: Session = {
    event,
    get elements() {
      elements ??= parseContent(event.message?.content ?? "")
      return elements
    },
    get text() {
      return textOf(session.elements)
    },
    user: event.user,
    channel: event.channel,
    endpoint,
    get permission() {
      return permissionOf()
    },
    signal,
    log,
    send,
    reply: content => {
      const quoted = event.message?.id
      return send(quoted === undefined ? content : [h("quote", {id: quoted}), ...nodesOf(content)])
    },
    react: emoji => {
      const message = event.message?.id
      const channel = event.channel?.id
      if (message === undefined || channel === undefined) {
        return Promise.reject(new Problem("event_invalid", "there is no message to react to"))
      }
      return queue({id: uuid(), kind: "reaction", endpoint, channel, content: {message, emoji}})
    },
  }
  return {
    session,
    end: () => {
      ended = true
      return drafts
    },
  }
}

/** The plain text of an event's message, empty where it has none. */
export const textOfEvent = (content: string | undefined): string => {
  if (content === undefined) return ""
  return content.includes("<") || content.includes("&") ? textOf(parseContent(content)) : content
}
