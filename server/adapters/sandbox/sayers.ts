import {channelType, type Incoming, Type} from "../../../shared/sdk/sdk.ts"
import {guild} from "./guild.ts"

/** The user of a message or a press, and the place. */
export const sayerFields = {
  channel: Type.Optional(Type.String({minLength: 1, maxLength: 100, default: "chat"})),
  user: Type.Optional(Type.String({minLength: 1, maxLength: 100, description: "The id of the user"})),
  account: Type.Optional(
    Type.String({minLength: 1, maxLength: 100, description: "The user's account, for permissions"}),
  ),
  roles: Type.Optional(
    Type.Array(Type.String({minLength: 1, maxLength: 100}), {
      maxItems: 20,
      description: "The ids of the user's roles in a group channel, for permissions",
    }),
  ),
  locale: Type.Optional(
    Type.String({minLength: 1, maxLength: 100, description: "The user's language, as a platform reports it: de-AT"}),
  ),
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "The id of the message or press; svc stores each id only once",
    }),
  ),
  group: Type.Optional(Type.Boolean({description: "Whether this is a group channel instead of a direct conversation"})),
}

interface Sayer {
  readonly channel: string
  readonly user: string
  readonly account?: string | undefined
  readonly roles?: readonly string[] | undefined
  readonly locale?: string | undefined
  readonly group?: boolean | undefined
}

/** Returns the fields that all events of the user share. */
export const placeOf = ({
  channel,
  user,
  account,
  roles,
  locale,
  group,
}: Sayer): Pick<Incoming, "channel" | "guild" | "user"> => ({
  channel: {id: channel, type: group === true ? channelType.text : channelType.direct},
  ...(group === true ? {guild} : {}),
  user: {
    id: user,
    name: user,
    ...(account === undefined ? {} : {account}),
    ...(roles === undefined || group !== true ? {} : {roles: [...roles]}),
    ...(locale === undefined ? {} : {locale}),
  },
})
