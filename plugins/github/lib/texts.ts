/** The bot's texts in each of its languages. */
export const texts = {
  en: {
    pushed: "{who} pushed {count, plural, one {# commit} other {# commits}} to {branch}",
    forced: "{who} force-pushed {branch}",
    branchCreated: "{who} created the branch {branch}",
    branchDeleted: "{who} deleted the branch {branch}",
    tagCreated: "{who} created the tag {tag}",
    tagDeleted: "{who} deleted the tag {tag}",
    earlier: "{count, plural, one {and # earlier commit} other {and # earlier commits}}",
    issue:
      "{who} {action, select, opened {opened} closed {closed} reopened {reopened} other {changed}} issue {number}: {title}",
    comment: "{who} commented on {number} ({title}): {text}",
    pull: "{who} {action, select, opened {opened} closed {closed} merged {merged} reopened {reopened} other {asks for reviews of}} pull request {number}: {title}",
    review: "{who} {state, select, approved {approved} other {requested changes to}} pull request {number}: {title}",
    release: "{who} published the release {name}",
    run: "{name} {number} on {branch} {outcome, select, success {succeeded} failure {failed} timed_out {timed out} cancelled {was cancelled} other {ended: {outcome}}}",
    discussion: "{who} started the discussion {number}: {title}",
    star: "{who} gave the repository a star",
    fork: "{who} forked the repository to {name}",
  },
  de: {
    pushed: "{who} hat {count, plural, one {# Commit} other {# Commits}} nach {branch} gepusht",
    forced: "{who} hat {branch} mit Force-Push ersetzt",
    branchCreated: "{who} hat den Branch {branch} angelegt",
    branchDeleted: "{who} hat den Branch {branch} gelöscht",
    tagCreated: "{who} hat den Tag {tag} angelegt",
    tagDeleted: "{who} hat den Tag {tag} gelöscht",
    earlier: "{count, plural, one {und # früherer Commit} other {und # frühere Commits}}",
    issue:
      "{who} hat Issue {number} {action, select, opened {eröffnet} closed {geschlossen} reopened {wieder geöffnet} other {geändert}}: {title}",
    comment: "{who} hat {number} ({title}) kommentiert: {text}",
    pull: "{who} {action, select, opened {hat Pull Request {number} eröffnet} closed {hat Pull Request {number} geschlossen} merged {hat Pull Request {number} gemergt} reopened {hat Pull Request {number} wieder geöffnet} other {bittet um Reviews von Pull Request {number}}}: {title}",
    review:
      "{who} hat {state, select, approved {Pull Request {number} freigegeben} other {Änderungen an Pull Request {number} verlangt}}: {title}",
    release: "{who} hat das Release {name} veröffentlicht",
    run: "{name} {number} auf {branch} {outcome, select, success {war erfolgreich} failure {ist fehlgeschlagen} timed_out {hat zu lange gebraucht} cancelled {wurde abgebrochen} other {endete: {outcome}}}",
    discussion: "{who} hat die Diskussion {number} begonnen: {title}",
    star: "{who} hat dem Repository einen Stern gegeben",
    fork: "{who} hat das Repository nach {name} geforkt",
  },
} as const
