import {refused, type Static, Type} from "../../../shared/sdk/sdk.ts"

/** One bot on a OneBot v11 implementation. */
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
            description: "The bot's number: svc refuses connections of other bots (X-Self-ID)",
          }),
        },
        {
          additionalProperties: false,
          description: "Instead of url: the implementation connects to the Host by reverse WebSocket",
        },
      ),
    ),
    accessToken: Type.Optional(
      Type.Secret({description: "The implementation's access_token, as ${NAME}. Required with reverse"}),
    ),
    secret: Type.Optional(
      Type.Secret({
        description: "With HTTP: the secret that signs the implementation's events (X-Signature), as ${NAME}",
      }),
    ),
    format: Type.Optional(
      Type.Union([Type.Literal("array"), Type.Literal("string")], {
        default: "array",
        description: "The format of the bot's messages: segments, or text with CQ codes",
      }),
    ),
    history: Type.Optional(
      Type.Boolean({
        default: false,
        description: "The implementation has the extension get_group_msg_history: the Host fetches missed messages",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>

export type Secret = NonNullable<AccountSettings["accessToken"]>

/** The connection to the implementation: which side connects to which. */
export type Transport =
  | {readonly is: "forward" | "http"; readonly url: string}
  | {readonly is: "reverse"; readonly selfId: string; readonly token: Secret}

/** Throws a refusal if the settings name no transport, or two. */
export const transportOf = ({url, reverse, accessToken: token}: AccountSettings): Transport => {
  if ((url === undefined) === (reverse === undefined))
    throw refused(`the account has ${url === undefined ? "neither url nor" : "both url and"} reverse`, {
      reason: "account",
      remediation: "Set url if the Host connects to the implementation; otherwise set reverse.selfId.",
    })
  if (url !== undefined) return {is: url.startsWith("ws") ? "forward" : "http", url}
  if (reverse === undefined || token === undefined)
    throw refused("a reverse WebSocket needs an access token: without one, anyone could connect", {
      reason: "account",
      remediation: "Set access_token in the implementation, and set accessToken to a variable with the same value.",
    })
  return {is: "reverse", selfId: String(reverse.selfId), token}
}
