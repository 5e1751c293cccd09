import {refused, type Static, Type} from "../../../shared/sdk/sdk.ts"

/** One bot of a OneBot v11 implementation. */
export const Account = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        pattern: "^(wss?|https?)://[^@?#\\s]+$",
        description: "The implementation's WebSocket server (ws://, wss://), or its HTTP server (http://, https://)",
      }),
    ),
    reverse: Type.Optional(
      Type.Object(
        {
          selfId: Type.Integer({
            minimum: 1,
            description: "The bot's number: connections of another one (X-Self-ID) are refused",
          }),
        },
        {
          additionalProperties: false,
          description: "In place of url: the implementation connects to the Host by reverse WebSocket",
        },
      ),
    ),
    accessToken: Type.Optional(
      Type.Secret({description: "The implementation's access_token, as ${NAME}. Required with reverse"}),
    ),
    secret: Type.Optional(
      Type.Secret({description: "With HTTP: what the implementation signs its events with (X-Signature), as ${NAME}"}),
    ),
    format: Type.Optional(
      Type.Union([Type.Literal("array"), Type.Literal("string")], {
        default: "array",
        description: "How messages of the bot are written: as segments, or as text with CQ codes",
      }),
    ),
    history: Type.Optional(
      Type.Boolean({
        default: false,
        description: "The implementation has get_group_msg_history, an extension: the Host fetches what it missed",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>

export type Secret = NonNullable<AccountSettings["accessToken"]>

/** How the implementation is reached: who connects to whom. */
export type Transport =
  | {readonly is: "forward" | "http"; readonly url: string}
  | {readonly is: "reverse"; readonly selfId: string; readonly token: Secret}

/** Throws a refusal where the settings name none, or two. */
export const transportOf = ({url, reverse, accessToken: token}: AccountSettings): Transport => {
  if ((url === undefined) === (reverse === undefined))
    throw refused(`the account has ${url === undefined ? "neither url nor" : "both url and"} reverse`, {
      reason: "account",
      remediation: "Give url where the Host connects to the implementation, else reverse.selfId.",
    })
  if (url !== undefined) return {is: url.startsWith("ws") ? "forward" : "http", url}
  if (reverse === undefined || token === undefined)
    throw refused("a reverse WebSocket needs an access token: anybody could connect otherwise", {
      reason: "account",
      remediation: "Set an access_token in the implementation, and accessToken to its variable.",
    })
  return {is: "reverse", selfId: String(reverse.selfId), token}
}
