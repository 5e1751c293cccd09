import {type Static, Type} from "../../../../shared/sdk/sdk.ts"

/** One Matrix account: an access token, or a user with a password. */
export const Account = Type.Object(
  {
    homeserver: Type.String({
      pattern: "^https?://[^/\\s?#@]+(/[^\\s?#]*)?$",
      description: "Address of the homeserver's client API, such as https://matrix.example.org",
    }),
    accessToken: Type.Optional(Type.Secret({description: "Access token of the bot's account, as ${NAME}"})),
    user: Type.Optional(
      Type.String({minLength: 1, description: "User id or its local part, for login with a password"}),
    ),
    password: Type.Optional(Type.Secret({description: "The user's password, as ${NAME}"})),
    device: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9._~-]{1,64}$",
        description: "Device id for login with a password; svc-<endpoint> by default",
      }),
    ),
    join: Type.Optional(
      Type.Union(
        [
          Type.Literal("invited"),
          Type.Literal("same-server"),
          Type.Array(Type.String({pattern: "^[!#][^\\s/]+$"}), {maxItems: 500}),
        ],
        {
          default: [],
          description:
            "Rooms to join, by id or alias. Or the invitations to accept: all (invited), or those from the bot's own server",
        },
      ),
    ),
    notices: Type.Optional(
      Type.Boolean({default: false, description: "Send m.notice: clients show it in grey and notify no one"}),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>
