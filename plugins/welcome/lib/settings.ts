import {type Static, Type} from "svc-runtime"

const closed = {additionalProperties: false}

const Place = Type.Object(
  {
    endpoint: Type.Endpoint({description: "The endpoint that reports who joins"}),
    guild: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "The id of the server or group; without it, the one that the channel is in, as far as the platform tells",
      }),
    ),
    channel: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The id of the channel of the greetings; the reported one when left out",
      }),
    ),
    roles: Type.Array(Type.String({minLength: 1}), {
      default: [],
      maxItems: 10,
      description: "The ids of the roles that everyone gets who joins there",
    }),
  },
  closed,
)
export type Place = Static<typeof Place>

/** A text with at least one character that shows. */
const Template = (description: string) =>
  Type.Optional(Type.String({minLength: 1, maxLength: 1500, pattern: "\\S", description}))

export const Settings = Type.Object(
  {
    places: Type.Array(Place, {
      default: [],
      description: "Where to greet, and which roles to give. Elsewhere the bot greets in the reported channel",
    }),
    text: Template("The greeting, with {user}, {guild} and {count}; without it, one in the language of the channel"),
    direct: Template("A message to each new member alone, with {user} and {guild}; none when left out"),
    goodbye: Type.Boolean({default: false, description: "Whether the bot says goodbye to those who leave"}),
    goodbyeText: Template("The goodbye, with {user}, {guild} and {count}"),
    mention: Type.Boolean({
      default: false,
      description: "Whether a greeting mentions the new members, which notifies them",
    }),
    wait: Type.Integer({
      default: 5,
      minimum: 0,
      maximum: 60,
      description: "For how many seconds nobody else may join before the bot greets; it waits at most a minute",
    }),
    log: Type.Optional(
      Type.Object(
        {endpoint: Type.Endpoint(), channel: Type.String({minLength: 1})},
        {...closed, description: "The channel that reads what the bot cannot do; without it, the log has it"},
      ),
    ),
  },
  closed,
)

const Person = Type.Object({id: Type.String(), name: Type.String()})
export type Person = Static<typeof Person>

/** Those who joined or left one place since its last greeting. `more` joined beyond the named ones, `gone` left. */
const Batch = Type.Object({
  endpoint: Type.String(),
  channel: Type.String(),
  guild: Type.String(),
  guildName: Type.String(),
  since: Type.Number(),
  joined: Type.Array(Person),
  more: Type.Integer(),
  left: Type.Array(Person),
  gone: Type.Integer(),
})
export type Batch = Static<typeof Batch>

export const Waiting = Type.Object({batches: Type.Array(Batch, {default: []})})

/** The most people that one greeting names, and that get a direct message. */
export const mostNamed = 10

/** The longest wait for others, in milliseconds. */
export const longestWait = 60_000
