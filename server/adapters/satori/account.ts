import {type Static, Type} from "../../../shared/sdk/sdk.ts"

/** One login of a Satori server. */
export const Account = Type.Object(
  {
    url: Type.String({
      pattern: "^https?://[^\\s?#]+$",
      description: "The server's address; /v1 is below it: http://127.0.0.1:5140/satori",
    }),
    token: Type.Optional(Type.Secret({description: "The server's token, as ${NAME}"})),
    platform: Type.Optional(
      Type.String({minLength: 1, description: "The login's platform; required if the server has several logins"}),
    ),
    user: Type.Optional(
      Type.String({minLength: 1, description: "The login's user id; required if the platform has several logins"}),
    ),
    buttons: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether the platform behind the server shows buttons. Otherwise svc sends them as a numbered list",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>

/** Returns the address without a slash at its end, and without `/v1`. */
export const baseOf = ({url}: Pick<AccountSettings, "url">): string => url.replace(/\/+$/, "").replace(/\/v1$/, "")
