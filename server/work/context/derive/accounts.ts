/** Words by which agents report that work is done, or that some is left. */
const done =
  /\b(?:done|completed?|finished|implemented|closed|pushed|merged|shipped|resolved|succeeded|works now)\b|(?<!\p{L})(?:fertig|erledigt|abgeschlossen|umgesetzt|terminée?s?|finie?s?|mise?s? (?:à jour|en place)|listo|hecho|completad[oa]s?|terminad[oa]s?|concluíd[oa]s?|feito|pronto|fatto|completat[oa]|готово|сделан[оа]?|завершен[оа]?)(?!\p{L})|完成|已(?:实现|统一|移除|补充|修复|更新|添加)|完了|しました|완료|했습니다/iu;
const left =
  /\b(?:still (?:open|to do|to be|needs?|missing|fails?|failing|left|have to)|remaining (?:tasks?|steps?|work|phases?|items?|issues?|parts?)|not (?:yet|done|finished|implemented|complete|started)|next (?:steps?|up|phase)|to-?dos?|pending|unfinished|incomplete|in progress|blocked|blocker|haven['’]t|what (?:is|['’]s) left|left to|(?:tasks?|steps?|is|are|tests?) left|partly|partially|continue with|waiting for)\b|(?<!\p{L})(?:noch (?:nicht|offen|zu)|nächste schritte|il reste|pas encore|prochaines? étapes?|restantes?|todavía|falta|próximos? pasos?|ainda|próximos passos|ancora|prossim[io] pass[io]|осталось|ещё не|следующ)|(?:尚|还)未|待办|剩余|下一步|残り|未完|次のステップ|남은|다음 단계/iu;
/** Of all of the work, not of one more thing after which all tests pass. */
const whole =
  /\b(?:all(?! (?:\d+ )?(?:\w+ )?(?:tests?|checks?|specs?|suites?|green|pass))|everything|entire(?:ly)?|whole|both|fully|epic)\b|(?<!\p{L})(?:alles?|tout(?:es)?|tous|todo|todos|todas|tudo|tutto|tutti|всё|все)(?!\p{L})|全部|所有|都|すべて|全て|모두/iu;

/** `ofAll`: of all of the work, and of nothing that is left. */
export const saysDone = (content: string, ofAll: boolean): boolean =>
  done.test(content) && (!ofAll || whole.test(content)) && !left.test(content);

export const saysLeft = (content: string): boolean => left.test(content);
const changed = /\b(?:created|added|applied|updated|fixed|moved|renamed|replaced|removed|written|installed)\b/i;
/** Of some of the work, whatever is left. */
export const reportsDone = (content: string): boolean => done.test(content) || changed.test(content);
