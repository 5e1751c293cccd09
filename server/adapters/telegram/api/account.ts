import {type Static, Type} from "../../../../shared/sdk/sdk.ts"

const address = "^https?://[^/@\\s?#]+(/[^\\s?#]*)?$"

/** One Telegram bot. */
export const Account = Type.Object(
  {
    token: Type.Secret({description: "The bot's token from @BotFather, as ${NAME}"}),
    apiRoot: Type.Optional(
      Type.String({
        pattern: address,
        default: "https://api.telegram.org",
        description: "The address of your own Bot API server",
      }),
    ),
    webhook: Type.Optional(
      Type.String({
        pattern: address,
        description:
          "The public address of this endpoint, https://<host>/hooks/<plugin>/<endpoint>. Without it the bot polls",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>
