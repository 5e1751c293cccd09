import {definePlugin, Type} from "svc-runtime"

const Note = Type.Object({id: Type.Integer(), text: Type.String()})
const common = {method: "POST", scope: "full", summary: "A route"} as const

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  setup(plugin) {
    plugin.route({
      ...common,
      path: "/notes/:id",
      body: Note,
      query: Type.Object({limit: Type.Integer({default: 1}), word: Type.Optional(Type.String())}),
      response: Type.Object({notes: Type.Array(Note)}),
      handle: (_, {body, query, params}) => {
        const limit: number = query.limit
        const word: string | undefined = query.word
        const id: string = params.id
        // @ts-expect-error: the path has no such parameter
        params.name
        // @ts-expect-error: the schema has no such parameter
        query.page
        // @ts-expect-error: the schema has no such property
        body.author
        return {notes: [{id: body.id + limit, text: `${body.text} ${word} ${id}`}]}
      },
    })
    plugin.route({...common, path: "/late", body: Note, response: Note, handle: async (_, {body}) => body})
    plugin.route({...common, path: "/whole", response: Note, handle: () => new Response("as before")})
    plugin.route({
      ...common,
      path: "/none",
      handle: (_, {body, params}) => {
        const none: undefined = body
        // @ts-expect-error: the path has no parameters
        return new Response(String(none) + params.id)
      },
    })
    plugin.route({
      ...common,
      path: "/of/:list/at/:n_2",
      handle: (_, {params}) => new Response(params.list + params.n_2),
    })
    const path: string = "/known/when/:it/runs"
    plugin.route({...common, path, handle: (_, {params}) => new Response(params.it ?? "")})
    // @ts-expect-error: the value does not match the schema
    plugin.route({...common, path: "/wrong", response: Note, handle: () => ({id: "1", text: ""})})
    // @ts-expect-error: a value needs a schema
    plugin.route({...common, path: "/bare", handle: () => ({id: 1})})
    plugin.route({...common, path: "/json", handle: (_, call) => call.json(Note, {id: 1, text: ""})})
  },
})
