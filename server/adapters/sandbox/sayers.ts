import {channelType, type Incoming, Type} from "../../../shared/sdk/sdk.ts"
import {guild} from "./guild.ts"

/** Who does something in the sandbox, and where. */
export const sayerFields = {
  channel: Type.Optional(Type.String({minLength: 1, maxLength: 100, default: "chat"})),
  user: Type.Optional(Type.String({minLength: 1, maxLength: 100, description: "The author of the message"})),
  account: Type.Optional(
    Type.String({minLength: 1, maxLength: 100, description: "The author's account, for permissions"}),
  ),
  locale: Type.Optional(
    Type.String({minLength: 1, maxLength: 100, description: "The author's language, as a platform reports it: de-AT"}),
  ),
  id: Type.Optional(
    Type.String({minLength: 1, maxLength: 100, description: "The id of the message; svc stores an id only once"}),
  ),
  group: Type.Optional(Type.Boolean({description: "Whether this is a group channel instead of a direct conversation"})),
}

interface Sayer {
  readonly channel: string
  readonly user: string
  readonly account?: string | undefined
  readonly locale?: string | undefined
  readonly group?: boolean | undefined
}

/** What every event of theirs has. */
export const placeOf = ({
  channel,
  user,
  account,
  locale,
  group,
}: Sayer): Pick<Incoming, "channel" | "guild" | "user"> => ({
  channel: {id: channel, type: group === true ? channelType.text : channelType.direct},
  ...(group === true ? {guild} : {}),
  user: {
    id: user,
    name: user,
    ...(account === undefined ? {} : {account}),
    ...(locale === undefined ? {} : {locale}),
  },
})
