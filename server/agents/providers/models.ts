import type {Binding} from "../../../shared/agents/binding.ts"
import type {ModelSettings} from "../../../shared/config/agents.ts"
import {formatPath, type Path} from "../../runtime/text/path.ts"

/** A model of a binding. */
export interface BoundModel {
  readonly settings: ModelSettings
  /** The position of its settings below `agents.<name>`: empty, or `models` and its number. */
  readonly path: Path
  /** The same for people, such as `agents.helper.models[1]`. */
  readonly at: string
  /** The provider and the model: a reply's data for its model is valid only for these. */
  readonly source: string
}

/** Returns the models of a binding in the order of preference: the one of `provider` and `model`, then `models`. */
export const modelsOf = ({name, config}: Pick<Binding, "name" | "config">): readonly BoundModel[] => {
  const {provider, model, baseURL, key, prices, models} = config
  const bound = (settings: ModelSettings, path: Path): BoundModel => ({
    settings,
    path,
    at: formatPath(["agents", name, ...path]),
    source: `${settings.provider}/${settings.model}`,
  })
  const given = {
    ...(baseURL === undefined ? {} : {baseURL}),
    ...(key === undefined ? {} : {key}),
    ...(prices === undefined ? {} : {prices}),
  }
  return [
    ...(provider === undefined || model === undefined ? [] : [bound({provider, model, ...given}, [])]),
    ...models.map((settings, index) => bound(settings, ["models", index])),
  ]
}

/** Returns the usual model. The configuration is refused without one. */
export const usualModel = (binding: Pick<Binding, "name" | "config">): BoundModel => {
  const [usual] = modelsOf(binding)
  if (usual === undefined) throw new Error(`agents.${binding.name} has no model`)
  return usual
}
