import {type Static, Type} from "../../../shared/sdk/sdk.ts"

/** A topic without wildcards (MQTT 5, section 4.7.3). */
const topic = "^[^+#\\x00]+$"
const path = "^[^.]+(\\.[^.]+)*$"

const Subscription = Type.Object(
  {
    topic: Type.String({minLength: 1, description: "A topic filter; + and # are wildcards"}),
    qos: Type.Optional(
      Type.Integer({minimum: 0, maximum: 1, default: 1, description: "With 0 the broker redelivers nothing"}),
    ),
    channel: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The channel of its messages, the topic by default; {1} is the match of the first wildcard",
      }),
    ),
    retained: Type.Optional(
      Type.Boolean({default: true, description: "Accept retained messages when the subscription is new to the broker"}),
    ),
  },
  {additionalProperties: false},
)

const Payload = Type.Object(
  {
    format: Type.Union([Type.Literal("text"), Type.Literal("json")]),
    text: Type.Optional(Type.String({pattern: path, default: "text", description: "The path of the text in the JSON"})),
    user: Type.Optional(Type.String({pattern: path, default: "user", description: "The path of the user's id"})),
    id: Type.Optional(Type.String({pattern: path, default: "id", description: "The path of the message's id"})),
  },
  {additionalProperties: false, description: "How to read a payload as a message; text by default"},
)

const Status = Type.Object(
  {
    topic: Type.String({pattern: topic}),
    online: Type.Optional(Type.String({default: "online"})),
    offline: Type.Optional(Type.String({default: "offline"})),
  },
  {additionalProperties: false, description: "A retained message that says whether the bot is online (last will)"},
)

/** One MQTT client. */
export const Account = Type.Object(
  {
    url: Type.String({
      pattern: "^(mqtts?|wss?)://[^@\\s]+$",
      description: "The broker: mqtt://, mqtts://, ws:// or wss://, without a password in it",
    }),
    clientId: Type.String({
      minLength: 1,
      maxLength: 128,
      description: "The broker stores the session under this id: no other client may use it",
    }),
    username: Type.Optional(Type.String({minLength: 1})),
    password: Type.Optional(Type.Secret({description: "As ${NAME}"})),
    verify: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Verify the broker's certificate. Turn this off only on your own network.",
      }),
    ),
    subscribe: Type.Optional(Type.Array(Subscription, {default: []})),
    publish: Type.Optional(
      Type.String({
        pattern: "\\{channel\\}",
        default: "{channel}",
        description: "The topic to which the bot publishes a message for a channel",
      }),
    ),
    qos: Type.Optional(
      Type.Integer({minimum: 0, maximum: 1, default: 1, description: "The QoS of the messages that the bot publishes"}),
    ),
    payload: Type.Optional(Payload),
    answers: Type.Optional(
      Type.Array(Type.String({minLength: 1}), {
        default: [],
        description: "Topic filters for the response topics of MQTT 5 requests that the bot answers",
      }),
    ),
    status: Type.Optional(Status),
    session: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 4_294_967_295,
        default: 604_800,
        description: "Seconds for which the broker keeps messages while the bot is offline; a week",
      }),
    ),
    maximumPacket: Type.Optional(
      Type.Integer({
        minimum: 1024,
        maximum: 268_435_455,
        default: 1_048_576,
        description: "The largest packet, in bytes, that the broker may deliver",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>
export type SubscriptionSettings = Static<typeof Subscription>
