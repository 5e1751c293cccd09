import {type Static, Type} from "../../../shared/sdk/sdk.ts"
import {type Fields, fieldsOf} from "../satori/fields.ts"

/** One bot of a Koishi stock adapter. */
export const Account = Type.Object(
  {
    package: Type.String({
      pattern: "^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$",
      description: "The adapter's npm package, such as @satorijs/adapter-kook. The project must have it installed",
    }),
    config: Type.Record(Type.String(), Type.Unknown(), {
      default: {},
      description: "The adapter's own configuration, without its secrets",
    }),
    secrets: Type.Record(Type.String(), Type.Secret(), {
      default: {},
      description: "The secret keys of the adapter's configuration, each as ${NAME}; a.b is the key b of a",
    }),
    buttons: Type.Optional(
      Type.Boolean({description: "Whether the adapter shows buttons. Otherwise svc sends them as a numbered list"}),
    ),
  },
  {additionalProperties: false},
)

export type AccountSettings = Static<typeof Account>

/** Returns the adapter's configuration with its secrets. The adapter never reconnects on its own: the Host does. */
export const configOf = ({config, secrets}: AccountSettings): Fields =>
  Object.entries(secrets).reduce<Fields>((made, [path, secret]) => withKey(made, path.split("."), secret.reveal()), {
    ...structuredClone(config),
    retryTimes: 0,
  })

const withKey = (fields: Fields, [key = "", ...rest]: readonly string[], value: string): Fields => ({
  ...fields,
  [key]: rest.length === 0 ? value : withKey(fieldsOf(fields[key]), rest, value),
})
