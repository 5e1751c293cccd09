import {Problem} from "../../shared/problems.ts"
import {type Sender, senderFeatures} from "../../shared/sdk/adapter/sender.ts"
import type {EndpointSpec} from "./spec.ts"

/** A cursor is a place, not a store: as long as this, in characters. */
const longestCursor = 64 * 1024

/** Throws `event_invalid`. */
export const requireCursor = (cursor: unknown) => {
  if (cursor !== undefined && (typeof cursor !== "string" || cursor.length > longestCursor || cursor.includes("\0")))
    throw new Problem("event_invalid", `the cursor must be text of at most ${longestCursor} characters, without NUL`)
}

export const isSender = (value: unknown): value is Sender =>
  typeof value === "object" && value !== null && "send" in value

/** What it does is its plugin's: what is thrown late there, and what is logged. */
export const ownedBy = ({own}: EndpointSpec, opened: Sender): Sender => {
  const acts = Object.fromEntries(
    [...senderFeatures, "call" as const].flatMap(name => {
      const act = opened[name] as ((...args: unknown[]) => unknown) | undefined
      return act === undefined ? [] : [[name, (...args: unknown[]) => own(async () => act.apply(opened, args))]]
    }),
  ) as Omit<Sender, "send">
  return {...acts, send: (message, signal) => own(() => opened.send(message, signal))}
}
