import {pluginWith} from "./plugin-sources.ts"
/** The source of an endpoint that receives as many events as `/api/plugins/ticker/ticks` is asked for. */
export const tickerPlugin = pluginWith(`
    let receive
    let n = 0
    plugin.adapter("ticker", {
      history: "none",
      open: async (_, endpoint) => {
        receive = () => endpoint.receive({id: String(n++), type: "internal", raw: {type: "tick", data: null}})
        return {send: async ({id}) => ({ids: [id]})}
      },
    })
    plugin.route({
      method: "POST", path: "/ticks", scope: "full", summary: "Receives events",
      body: Type.Object({count: Type.Integer()}),
      handle: async (_, call) => {
        const {count} = call.body
        await Promise.all(Array.from({length: count}, () => receive()))
        return call.json(Type.Object({}), {})
      },
    })`)
