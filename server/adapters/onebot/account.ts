import {type Static, Type} from "../../../shared/sdk/sdk.ts"

/** One bot of a OneBot v11 implementation. */
export const Account = Type.Object(
  {
    url: Type.String({
      pattern: "^(wss?|https?)://[^@?#\\s]+$",
      description: "The implementation's WebSocket server (ws://, wss://), or its HTTP server (http://, https://)",
    }),
    accessToken: Type.Optional(Type.Secret({description: "The implementation's access_token, as ${NAME}"})),
    secret: Type.Optional(
      Type.Secret({description: "With HTTP: what the implementation signs its events with (X-Signature), as ${NAME}"}),
    ),
    format: Type.Optional(
      Type.Union([Type.Literal("array"), Type.Literal("string")], {
        default: "array",
        description: "How messages of the bot are written: as segments, or as text with CQ codes",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>
