import {b, card, definePlugin, type Element, file, h, image, link, list, mention, table} from "svc-runtime"

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  setup(plugin) {
    const vote = plugin.action("vote", {}, () => "")
    const kind: string = "b"
    plugin.command("show", ({session}) => [
      h("img", {src: file("a.png"), title: "A"}),
      h("x-own", {any: 1}, "text"),
      h(kind, {any: true}),
      h("card", {title: "T"}, h("card-field", {title: "F", inline: true}, "v"), h("img", {src: new Uint8Array()})),
      // @ts-expect-error: no such element
      h("bold", "text"),
      // @ts-expect-error: no such attribute
      h("a", {url: "https://e.org"}, "text"),
      // @ts-expect-error: an attribute of another type
      h("img", {width: "3"}),
      // @ts-expect-error: text is no file
      h("b", {}, 3),
      // @ts-expect-error: a link needs its address
      link(),
      // @ts-expect-error: no such option
      list(["a"], {numbered: true}),
      // @ts-expect-error: no such place
      table([["a"]], {align: ["middle"]}),
      // @ts-expect-error: a colour is #rrggbb
      card({title: "T", colour: "red"}),
      // @ts-expect-error: a field needs a value
      card({fields: [{title: "F"}]}),
      card({
        title: session.text,
        text: [b("bold"), link("https://e.org", "a ", b("link"))],
        fields: [{title: "By", value: session.user === undefined ? "nobody" : mention(session.user), inline: true}],
        image: image("https://e.org/a.png", {title: "A"}),
        buttons: [vote.button({}, "Vote")],
      }),
      table([["a", b("1")]], {header: ["Name", ["No", "."]], align: ["left", "right"]}),
    ])
    plugin.on("message-created", (): Element => file(new Uint8Array(), {name: "a.txt"}))
  },
})
