import type {Child} from "@xmpp/client"
import {refused} from "../../../shared/sdk/sdk.ts"
import type {Memory} from "./content/memory.ts"
import type {Outbound} from "./outbound.ts"
import type {Receiver} from "./receive.ts"
import type {Room} from "./rooms/room.ts"
import {outcomeOf} from "./stream/failures.ts"
import {bare, isJid, normal, resourceOf} from "./stream/jid.ts"
import {ns} from "./stream/names.ts"
import type {Session} from "./stream/session.ts"

/** The parts of one connection that acts need. */
export interface Acting {
  readonly session: Session
  readonly outbound: Outbound
  readonly memory: Memory
  readonly receiver: Receiver
  readonly room: (jid: string) => Room | undefined
}

/** The target of an act. */
export interface Place {
  /** The channel's id in svc: an account, a room, or a user in a room. */
  readonly channel: string
  readonly type: "chat" | "groupchat"
  /** The room; set also for a private message to a user in it. */
  readonly room: Room | undefined
  /** Sends a message. Resolves to its id in svc. Throws a refusal if the message is rejected permanently. */
  post(id: string, children: readonly Child[], signal: AbortSignal): Promise<string>
}

/**
 * Returns the place of this channel id. Throws a refusal if it is not an address, and an error if the bot is not in the
 * room at the moment.
 */
export const placeOf = ({outbound, room: find, session}: Acting, id: string): Place => {
  if (!isJid(id))
    throw refused(`"${id}" is not an XMPP address`, {
      reason: "target_invalid",
      remediation: "Send to an account such as ann@example.org, or to a room that the bot is in.",
    })
  const room = find(bare(id))
  const isRoom = room !== undefined && resourceOf(id) === ""
  // A message for an account goes to any of its clients. A user in a room is named by the nick.
  const channel = room === undefined ? bare(id) : normal(id)
  if (room?.isIn === false) throw new Error(`the bot is not in ${room.jid} at the moment`)
  const told = (error: unknown) => {
    throw outcomeOf(channel, error)
  }
  const privately = room === undefined || isRoom ? [] : [session.xml("x", {xmlns: ns.mucUser})]
  return {
    channel,
    type: isRoom ? "groupchat" : "chat",
    room,
    post: (message, children, signal) =>
      isRoom
        ? outbound.toRoom(channel, message, children, signal).catch(told)
        : outbound.toPerson(channel, message, [...children, ...privately], signal).catch(told),
  }
}
