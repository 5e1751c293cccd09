import type {Binding} from "../../../shared/agents/binding.ts"
import type {PairingView} from "../../../shared/api/users/pairings.ts"
import type {Part} from "../../runtime/part.ts"
import {isLoop} from "./loop.ts"
import {Members, type MembersOptions, type Sender} from "./members.ts"
import {type Pairing, Pairings, type PairingsOptions} from "./pairings.ts"

/** What chat needs to know about users before it asks an agent. */
export interface StrangersDesk {
  isMember(sender: Sender): Promise<boolean>
  isLoop(sender: Sender): Promise<boolean>
  pair(sender: Parameters<Pairings["ask"]>[0], binding: Binding): Promise<Pairing>
  /** Makes the user of a code a member. Throws `pairing_unknown`. */
  admit(code: string, by: string): Promise<PairingView>
}

export interface Strangers extends StrangersDesk, Required<Pick<Part, "forgotten">> {
  readonly seeing: Members["seeing"]
  readonly list: Pairings["list"]
}

export const createStrangers = (options: MembersOptions & Omit<PairingsOptions, "members">): Strangers => {
  const {database, clock} = options
  const members = new Members(options)
  const pairings = new Pairings({...options, members})
  return {
    seeing: (endpoint, event) => members.seeing(endpoint, event),
    isMember: sender => members.has(sender),
    isLoop: async sender => !options.isLocal(sender.endpoint) && (await isLoop(database, sender, clock.now())),
    pair: (sender, binding) => pairings.ask(sender, binding),
    admit: (code, by) => pairings.approve(code, by),
    list: () => pairings.list(),
    forgotten: (part, rows) => {
      if (part === "members") members.forgotten(rows)
    },
  }
}
