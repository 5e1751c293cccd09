import {type Static, Type} from "../../../shared/sdk/sdk.ts"

const name = "^[^\\s,:\\x00-\\x1f]+$"

/** One IRC account. */
export const Account = Type.Object(
  {
    server: Type.String({minLength: 1, description: "Host name or address of the server"}),
    port: Type.Optional(Type.Integer({minimum: 1, maximum: 65535, description: "6697 with TLS, 6667 without"})),
    tls: Type.Optional(Type.Boolean({default: true})),
    verify: Type.Optional(
      Type.Boolean({
        default: true,
        description: "Verify the server's certificate. Turn this off only on your own network.",
      }),
    ),
    nick: Type.String({pattern: name, description: "The bot's nick; if it is in use, svc appends an underscore"}),
    realname: Type.Optional(Type.String({pattern: "^[^\\r\\n\\0]+$", default: "svc bot"})),
    password: Type.Optional(Type.Secret({description: "The server's password, as ${NAME}"})),
    sasl: Type.Optional(
      Type.Object(
        {account: Type.String({minLength: 1}), password: Type.Secret({description: "As ${NAME}"})},
        {additionalProperties: false, description: "Login by SASL PLAIN"},
      ),
    ),
    channels: Type.Optional(
      Type.Array(Type.String({pattern: "^[#&+!][^\\s,]*( [^\\s,]+)?$"}), {
        default: [],
        description: "Channels to join: '#name', or '#name key'",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>
