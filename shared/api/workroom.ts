import {Named, NamedClosed, Optional, orNull, type Static, Time, Type} from "../type.ts"
import {type ItemState, itemStates, partyPattern} from "./item-rules.ts"
import {PageQuery} from "./pages.ts"

export const priorities = ["low", "normal", "high", "urgent"] as const
export type Priority = (typeof priorities)[number]

const Title = Type.String({minLength: 1, maxLength: 200, pattern: "\\S"})
const Description = Type.String({maxLength: 20_000})
const Labels = Type.Array(Type.String({pattern: "^[\\w.:/-]{1,50}$"}), {maxItems: 20})
const Party = Type.String({pattern: partyPattern, description: "user:<id> or agent:<name>"})
const Text = Type.String({minLength: 1, maxLength: 4000, pattern: "\\S"})

export const Conversation = NamedClosed("Conversation", {
  endpoint: Type.String({minLength: 1}),
  channel: Type.String({minLength: 1}),
})

const Blocker = Named("Blocker", {
  reason: Type.String({private: true}),
  owner: orNull(Type.String(), {private: true, description: "Who should resolve it"}),
  deadline: orNull(Time("When it should be resolved")),
  overdue: Type.Boolean({description: "True if its deadline passed and the Host reported it"}),
})

const Comment = Named("Comment", {
  at: Time("When it was made"),
  actor: Type.String({private: true}),
  text: Type.String({private: true}),
})

/** A work item as in the Catalog. */
export const Item = Named("Item", {
  id: Type.Integer(),
  revision: Type.Integer({description: "Grows by one with each command"}),
  state: Type.Enum([...itemStates]),
  priority: Type.Enum([...priorities]),
  labels: Type.Array(Type.String(), {private: true}),
  title: Type.String({private: true}),
  description: Type.String({private: true}),
  assignee: orNull(Type.String(), {private: true}),
  blocker: orNull(Blocker, {description: "What a blocked item waits for"}),
  conversation: orNull(Conversation, {private: true}),
  comments: Type.Array(Comment),
  createdAt: Time("When it was added"),
  createdBy: Type.String({private: true}),
  updatedAt: Time("When the last command was accepted"),
  request: orNull(Type.String(), {private: true, description: "The request of the last command"}),
  addedBy: orNull(Type.String(), {private: true, description: "The request that added it"}),
})
export type Item = Readonly<Static<typeof Item>>

/** The optional fields of every command. */
const common = {
  actor: Type.Optional(Party),
  request: Optional.String({
    minLength: 1,
    maxLength: 200,
    description: "An id of this request. A request repeated with the same id has no second effect",
  }),
}
const onItem = {
  expectedRevision: Type.Integer({minimum: 1, description: "The revision of the item that the command is based on"}),
  ...common,
}

/** The body of a command without further fields. */
const ItemCommandRequest = NamedClosed("ItemCommandRequest", onItem)

export const commandBodies = {
  add: NamedClosed("AddItemRequest", {
    title: Title,
    description: Type.Optional(Description),
    priority: Optional.Enum([...priorities], {default: "normal"}),
    labels: Type.Optional(Labels),
    assignee: Type.Optional(Party),
    conversation: Type.Optional(Conversation),
    ...common,
  }),
  claim: NamedClosed("ClaimItemRequest", {assignee: Type.Optional(Party), ...onItem}),
  block: NamedClosed("BlockItemRequest", {
    reason: Text,
    owner: Type.Optional(Party),
    deadline: Type.Optional(Time("The Host reports the item as overdue after this time")),
    ...onItem,
  }),
  unblock: ItemCommandRequest,
  review: ItemCommandRequest,
  accept: ItemCommandRequest,
  cancel: NamedClosed("CancelItemRequest", {reason: Type.Optional(Text), ...onItem}),
  comment: NamedClosed("CommentItemRequest", {text: Text, ...onItem}),
} as const

/** A command as the Journal records it. */
export type Command =
  | {
      readonly is: "add"
      readonly title: string
      readonly description: string
      readonly priority: Priority
      readonly labels: readonly string[]
      readonly assignee: string | null
      readonly conversation: Readonly<Static<typeof Conversation>> | null
      readonly request?: string
    }
  | (Against & {readonly is: "claim"; readonly assignee: string})
  | (Against & {
      readonly is: "block"
      readonly reason: string
      readonly owner: string | null
      readonly deadline: string | null
    })
  | (Against & {readonly is: "unblock" | "review" | "accept"})
  | (Against & {readonly is: "cancel"; readonly reason: string | null})
  | (Against & {readonly is: "comment"; readonly text: string})
  /** The deadline of the item's blocker has passed. The Host records this command. */
  | (Against & {readonly is: "overdue"; readonly deadline: string})
  /** The Journal continues under another authority, after a restore. It is about no item. */
  | {readonly is: "authority"; readonly from: string; readonly to: string}

interface Against {
  readonly expectedRevision: number
  readonly request?: string
}

/** One record of the Journal. `hash` is the SHA-256 of the canonical JSON of the other fields, in hexadecimal. */
export type JournalRecord = Readonly<Static<typeof RecordView>>

/** The actor if none is named: the holder of the full token. */
export const operator = "operator"
/** The actor of the Host's own commands. */
export const hostActor = "host"

/** Responses about the workroom. */
export const WorkroomView = Named("WorkroomView", {
  store: Type.Enum(["database", "file"]),
  authority: Type.String(),
  seq: Type.Integer({description: "The last record of the Journal"}),
  hash: Type.String({description: "The hash of that record"}),
  items: Named(
    "ItemCounts",
    Object.fromEntries(itemStates.map(state => [state, Type.Integer()])) as Record<
      ItemState,
      ReturnType<typeof Type.Integer>
    >,
    {description: "Number of items by state"},
  ),
  overdue: Type.Integer({description: "Blocked items whose deadline has passed"}),
})
export type WorkroomView = Static<typeof WorkroomView>

export const ItemQuery = Type.Object({
  ...PageQuery.properties,
  state: Optional.Enum([...itemStates], {description: "Only items in this state"}),
  assignee: Optional.String({private: true, description: "Only items of this assignee"}),
  label: Optional.String({private: true, description: "Only items with this label"}),
})

export const RecordView = Named("RecordView", {
  seq: Type.Integer(),
  at: Time("When it was recorded"),
  actor: Type.String(),
  item: Type.Integer({description: "0 if it is about no item"}),
  command: Type.Unsafe<Command>(Type.Unknown()),
  prevHash: Type.String(),
  hash: Type.String(),
})

export const VerificationView = Named("VerificationView", {
  store: Type.Enum(["database", "file"]),
  authority: Type.String(),
  seq: Type.Integer({description: "The last checked record"}),
  hash: Type.String(),
  items: Type.Integer(),
})
export type VerificationView = Static<typeof VerificationView>
