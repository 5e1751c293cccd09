import {type Static, Type} from "../../../../shared/sdk/sdk.ts"

/** One Slack app in one workspace. */
export const Account = Type.Object(
  {
    botToken: Type.Secret({description: "The Bot User OAuth Token (xoxb-…), as ${NAME}"}),
    appToken: Type.Optional(
      Type.Secret({
        description: "The app-level token (xapp-…) with connections:write, as ${NAME}: events by Socket Mode",
      }),
    ),
    signingSecret: Type.Optional(
      Type.Secret({description: "The app's Signing Secret, as ${NAME}: events by HTTP at /hooks/<plugin>/<endpoint>"}),
    ),
    api: Type.Optional(
      Type.String({
        pattern: "^https?://[^/@\\s?#]+(/[^\\s?#]*)?$",
        default: "https://slack.com/api/",
        description: "The address of the Web API; change it only for tests",
      }),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>

export const apiOf = ({api = "https://slack.com/api/"}: Pick<AccountSettings, "api">): string =>
  api.endsWith("/") ? api : `${api}/`
