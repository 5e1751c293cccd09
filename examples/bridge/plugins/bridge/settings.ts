import {Type} from "svc-runtime"

export const Settings = Type.Object({
  rooms: Type.Array(Type.Array(Type.Object({endpoint: Type.Endpoint(), channel: Type.String()}), {minItems: 2}), {
    description: "Channels that form one room: the bot copies a message in one to all others",
  }),
  bots: Type.Boolean({default: false, description: "Whether to relay messages of other bots too"}),
  ignore: Type.Array(Type.String(), {
    default: [],
    description: "Ids of users whose messages are not relayed, such as bots on platforms that do not mark bots",
  }),
  megabytes: Type.Number({
    exclusiveMinimum: 0,
    maximum: 64,
    default: 8,
    description: "The largest file that is relayed",
  }),
  days: Type.Integer({
    minimum: 1,
    default: 30,
    description: "For how many days edits, deletions and quotes reach the copies of a message",
  }),
})
