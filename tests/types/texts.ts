import {definePlugin} from "svc-runtime"

/** Checked by the compiler: a line below an `@ts-expect-error` must fail to compile, all others must compile. */
export default definePlugin({
  setup(plugin) {
    const t = plugin.texts({
      en: {
        hello: "Hello, {name}!",
        items: "{count, plural, one {# item of {owner}} other {# items}}",
        due: "Due on {day, date, short} {how, select, soon {soon} other {{ later }}}",
        bye: "Bye.",
        quoted: "'{'literal'}' {name}",
      },
      de: {hello: "Hallo, {name}!", late: "Zu spät: {seconds, number}"},
    })
    const read: Record<string, string> = {hello: "read when it runs {anything}"}
    const loose = plugin.texts({en: read})

    plugin.command("hello", {description: t.of("bye")}, ({session}) => {
      const language: string = session.language
      session.t(t, "hello", {name: "Ann"})
      session.t(t, "hello", {name: 7})
      session.t(t, "items", {count: 2, owner: "Ann"})
      session.t(t, "due", {day: new Date(), how: "soon", later: 1})
      session.t(t, "due", {day: {at: new Date(), timezone: "Europe/Berlin"}, how: "soon", later: 1})
      session.t(t, "bye")
      session.t(t, "quoted", {name: "any values", more: 1})
      // A key that only another language has.
      session.t(t, "late", {seconds: 3})
      session.t(loose, "hello", {anything: 1})
      // With the key alone, any values are accepted.
      session.t("hello", {name: "Ann"})
      // @ts-expect-error: there is no such text
      session.t(t, "helo", {name: "Ann"})
      // @ts-expect-error: the value is missing
      session.t(t, "hello")
      // @ts-expect-error: the value has another name
      session.t(t, "hello", {nmae: "Ann"})
      // @ts-expect-error: a plural needs a number
      session.t(t, "items", {count: "2", owner: "Ann"})
      // @ts-expect-error: the text within the plural needs a value too
      session.t(t, "items", {count: 2})
      // @ts-expect-error: a text without values accepts none
      session.t(t, "bye", {name: "Ann"})
      return t.in(language, "en")("hello", {name: "Ann"})
    })
    // @ts-expect-error: the same elsewhere
    plugin.job("digest", () => void t.in("de")("items", {count: "many"}))
    // @ts-expect-error: a message must be text
    plugin.texts({en: {hello: 1}})
  },
})
