import {Type} from "svc-runtime"

export const Settings = Type.Object({
  rooms: Type.Array(Type.Array(Type.Object({endpoint: Type.String(), channel: Type.String()}), {minItems: 2}), {
    description: "Channels that are one room: what is said in one is said in the others",
  }),
  bots: Type.Boolean({default: false, description: "Are messages of other bots carried over too?"}),
  ignore: Type.Array(Type.String(), {
    default: [],
    description: "Ids of users whose messages stay where they are: bots of platforms that do not mark bots",
  }),
  megabytes: Type.Number({
    exclusiveMinimum: 0,
    maximum: 64,
    default: 8,
    description: "The largest file that is carried over",
  }),
  days: Type.Integer({minimum: 1, default: 30, description: "How long edits, deletions and quotes find a message"}),
})
