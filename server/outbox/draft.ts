import type {Node} from "../../shared/sdk/elements.ts"

/** A message that is to be sent; its id is the same for every attempt. */
export type OutboxDraft = {
  readonly id: string
  readonly endpoint: string
  readonly channel: string
} & (
  | {readonly kind: "message"; readonly content: readonly Node[]}
  | {readonly kind: "reaction"; readonly content: ReactionContent}
)

export interface ReactionContent {
  readonly message: string
  readonly emoji: string
}
