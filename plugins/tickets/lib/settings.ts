import {type Static, Type} from "svc-runtime"

const closed = {additionalProperties: false}

export const Settings = Type.Object(
  {
    team: Type.Object(
      {endpoint: Type.Endpoint(), channel: Type.String({minLength: 1})},
      {...closed, description: "The channel of the team, which reads the tickets"},
    ),
    permission: Type.Enum(["trusted", "admin"], {
      default: "trusted",
      description: "Who may take, answer and close tickets, and post the panel",
    }),
    limit: Type.Integer({
      default: 3,
      minimum: 1,
      maximum: 20,
      description: "How many open tickets a user may have",
    }),
    longest: Type.Integer({
      default: 1000,
      minimum: 50,
      maximum: 2000,
      description: "The most characters of a ticket and of an answer",
    }),
    itemText: Type.Boolean({
      default: false,
      description: "Whether the work item also has the texts, which svc user forget does not delete there",
    }),
    panel: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1500,
        description: "What the panel says above its button; in the language of the channel when left out",
      }),
    ),
  },
  closed,
)

/**
 * A ticket, in the state of its user. `n` is the number of its work item, `place` is where the user opened it, `message`
 * the outbox id of the team's message, `taken` the name and `assignee` the party of who works on it, and `seen` the
 * numbers of the team's newest acts, so that an act counts once.
 */
const Ticket = Type.Object({
  n: Type.Integer(),
  by: Type.String(),
  text: Type.String(),
  place: Type.String(),
  language: Type.String(),
  message: Type.String(),
  taken: Type.String(),
  assignee: Type.String({default: ""}),
  seen: Type.Array(Type.Integer()),
})
export type Ticket = Static<typeof Ticket>

export const Mine = Type.Object({open: Type.Array(Ticket, {default: []})})
export type Mine = Static<typeof Mine>

/** Which users have open tickets. */
export const Index = Type.Object({
  open: Type.Array(Type.Object({n: Type.Integer(), endpoint: Type.String(), user: Type.String()}), {default: []}),
})
export type Index = Static<typeof Index>

/** The most open tickets of all users together. */
export const mostOpen = 200

/** The most tickets that a list shows. */
export const mostListed = 20

/** The data of the team's buttons: the ticket, and the conversation that has its state. */
export const Ref = Type.Object({
  n: Type.Integer(),
  endpoint: Type.String(),
  user: Type.String(),
  channel: Type.String(),
})
export type Ref = Static<typeof Ref>

/**
 * What the team does with a ticket. `sn` is the number of the event in which a member of the team asked for it. After
 * a command the bot also writes a line: the ticket may be far above.
 */
export const Act = Type.Object({
  n: Type.Integer(),
  what: Type.Enum(["take", "answer", "close"]),
  by: Type.String(),
  user: Type.String({default: ""}),
  text: Type.String(),
  sn: Type.Integer(),
  isCommand: Type.Boolean(),
})
export type Act = Static<typeof Act>

/** A message to the user of a ticket, by its outbox id, until the platform has it. `reply` is the label of its button. */
export const Told = Type.Object({
  id: Type.String(),
  n: Type.Integer(),
  by: Type.String(),
  place: Type.String(),
  text: Type.String(),
  reply: Type.Optional(Type.String()),
  tries: Type.Integer(),
})
