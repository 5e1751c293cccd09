/** The source of a command of the tests' bots that answers with a list and a card. */
export const cardCommand = `plugin.command("card", () => [
      h("ul", h("li", "one"), h("li", "two <@43>")),
      h("card", {title: "Build <7>", colour: "#c0ffee"}, "It failed.", h("card-field", {title: "Branch", inline: true}, "main")),
    ])`
