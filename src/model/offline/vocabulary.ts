/** Words without search value in a question, in the supported languages. */
export const stopWords: ReadonlySet<string> = words(`
  a an the this that these those it its they them their there here he she his her we us our i me my you your
  and or not no nor but if then else than so as at by for from in into of off on onto out over per to up with within
  behind beyond beside besides among along across around toward towards upon
  without about above after again against all also any both before between down during each few further just more most
  only other others own same some such too under until very via what where which who whom whose when why how is are was
  were be been being am do does did done doing has have had having can could should would will shall may might must
  let lets please tell show explain describe list give me look see know want need like get gets got give given
  there's what's where's how's which's it's i'd i'm i've let's
  exactly actually currently really please kindly thanks thank hello hi hey ok okay yes
  place places thing things stuff way ways kind kinds sort part parts bit lot many much every everything anything something
  nobody somebody anybody noone everyone anyone
  code codebase codebases repo repository repositories project projects program programs source sources file files folder folders
  directory directories line lines module modules package packages library
  work works working happen happens happened occur occurs live lives located location sit sits stand stands
  implement implements implemented implementation implementations define defines defined definition definitions
  now today yet still even instead else otherwise together ever whenever wherever however whether because since though although unless
  responsible respective relevant related involved cited citation citations cite
  one two three first last next new old main use uses used using
  cover covers covered covering coverage test tests tested testing exercise exercised
  wo was wer wie wann warum welche welcher welches welchen wird werden wurde wurden ist sind war hat haben der die das den
  dem des ein eine einen einem einer und oder nicht mit von zu zum zur im in auf aus bei nach für über unter es sie er wir
  ihr man kann können soll muss sich auch noch dann denn als ob diese dieser dieses abdecken deckt decken ab finde zeige erkläre
  où ou que qui quoi quel quelle quels quelles comment pourquoi quand est sont le la les un une des du de et dans sur sous
  pour par avec sans ce cette ces il elle ils elles se ne pas plus couvrent couvre
  dónde donde qué que quién cómo como cuándo cuando cuál cuáles por porque es son el los las una unos unas y o en sobre
  para con sin este esta estos estas se no cubren cubre
  где что кто как какой какая какие почему когда это и или не в на с по для из от их его
`)

/** Verbs and nouns that may be literal, but say little about the place. */
export const weakWords: ReadonlySet<string> = words(`
  handle process make making create run call set add change return take start stop function class method variable constant
  type interface value name object data logic behavior feature system main default thing support provide put keep come go
  look taken done gone overview summary architecture structure organize actual real internal mechanism different press hit
  find found fix write written implement refactor improve update bug
`)

/** Words for manner and degree: matching code need not contain them. */
export const framingWords: ReadonlySet<string> = words(`
  notice recognize external existing honor respect obey compute calculate detect tell told apart react respond behave choose pick select decide determine figure occur arise appear consist contain belong depend
  enter leave reach keep made mean responsible involve concern relate come go turn
  once twice thrice always never often sometimes usually
  wrong right correct proper bad good full whole big large small long short fast slow high low early late
  possible available certain given current previous following remaining different same similar several various
  maximum minimum amount number total overall general specific particular user people person someone
  time moment order step detail example reason case point side result
`)

/** Common abbreviations in programs: both forms are one word. */
export const abbreviations: readonly (readonly [string, string])[] = pairs(`
  env environment | arg argument | param parameter | config configuration | cfg configuration | dir directory | req request
  | res response | resp response | msg message | cmd command | init initialize | str string | num number | char character
  | err error | buf buffer | ptr pointer | len length | idx index | val value | tmp temporary | max maximum | min minimum
  | prev previous | dst destination | db database | auth authentication | ctx context | conn connection | exec execute
  | spec specification | expr expression | ref reference | alloc allocate | sync synchronize | async asynchronous
  | stats statistics | col column | attr attribute | prop property | calc calculate | eval evaluate | img image | obj object
  | pkg package | proc process | repo repository | util utility | app application | gen generate | mem memory | perm permission
  | sep separator | lib library | pos position | addr address | iter iterator | esc escape
`)

/** Synonyms: a question may use one and the code another. */
export const synonyms: readonly (readonly string[])[] = groups(`
  tls ssl | regex regexp | interrupt sigint ctrlc | color ansi style palette | width columns | hidden dotfile | remaining eta | typo misspelled suggest
  | remove delete erase unlink | run execute spawn invoke | stop terminate kill abort cancel | fail error exception
  | retry attempt backoff | wait delay sleep | timeout deadline expire | configuration setting option preference
  | choose select pick get find resolve | check validate verify | parse tokenize decode | merge combine join | duplicate dedup unique twice already
  | sort order | password secret | limit throttle | argument flag | compress gzip deflate | resume continue | truncate shorten
`)

/** Words of a few other languages for English program terms, by their prefixes. */
export const foreignStems: readonly (readonly [string, string])[] = pairs(`
  berechtigung permission | entschied decide | entscheid decide | fehler error | einstellung setting | anmeld login
  | speicher store | gespeicher store | datenbank database | anfrage request | antwort response | konfiguration configuration
  | abbruch abort | abgebrochen cancel | warteschlange queue | zeitlimit timeout | wiederhol retry | prüf check | geprüft check
  | protokoll log | nachricht message | befehl command | werkzeug tool | verzeichnis directory | datei file | schlüssel key
  | autoris authorize | permiso permission | décid decide | decid decide | erreur error | configura configuration
  | connexion connection | conexión connection | requête request | réponse response | respuesta response | solicitud request
  | stock store | enregistr save | guarda save | almacen store | base-de-données database | outil tool | herramienta tool
  | valid validate | analys parse | analiz parse | enruta route | enrutador router | routeur router | mensaje message
  | adress address
  | файл file | ошибк error | разрешени permission | прав permission | хран store | настройк setting | запрос request
  | ответ response | маршрут route | тест test | 权限 permission | 错误 error | 配置 configuration | 路由 route | 解析 parse
  | 验证 validate | 测试 test | 缓存 cache | 数据库 database | 请求 request | 响应 response | 日志 log | 命令 command
  | 権限 permission | 検証 validate | 認証 authenticate | 处理 handle | 処理 handle | 决定 decide | 決定 decide | メール email
  | エラー error | 設定 setting | テスト test
`)

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean))
}

function pairs(text: string): [string, string][] {
  return groups(text).map(([from = '', to = '']) => [from, to])
}

function groups(text: string): string[][] {
  return text.split('|').map((group) => group.trim().split(/\s+/))
}
