import {pluginOperations} from "../../../shared/api/operations/host.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import {isInState, pageOf} from "../../database/lists/pages.ts"
import type {HandlerMeter} from "../../messages/handler-meter.ts"
import type {Generation} from "../generation.ts"
import type {Generations} from "../generations.ts"
import type {Restarts} from "./edit-config.ts"
import {viewCommitted} from "./generations.ts"
import {viewPlugin, viewPlugins} from "./plugin-views.ts"

export const pluginRoutes = (
  current: () => Generation,
  handlers: HandlerMeter,
  generations: Generations,
  foresight: Pick<Restarts, "foresee">,
) =>
  serve(pluginOperations, {
    list: asked => pageOf(viewPlugins(current(), handlers).filter(isInState(asked)), asked),
    show: ({params}) => viewPlugin(current(), handlers, params.plugin),
    switch: async ({params, body: {enabled}}) =>
      viewCommitted(generations, await generations.turn({name: params.plugin, enabled}), foresight),
  })
