//! Words of several languages that decide what a sentence says of its figures: where a unit ends, what is
//! about, more or less, what is denied, and which of two opposites is meant.

/// Words at which the name of a unit ends.
pub const STOPS: &str = " a an the of in on at by for from to into with within without than as and or nor but if that \
which who whose when where while whereas because since until till during before after between among per each every \
is are was were be been being has have had do does did will would can could may might shall should must it its they \
them their he his she her we our you your this these those there here not no all both out up down over under about \
still also only just even already so then now according via against around across through along more less fewer \
rose fell grew said says say found show shows \
der die das den dem des ein eine einen einem einer im am zum zur von vom mit ohne auf aus bei nach vor seit und oder \
aber als dass wenn weil ist sind war waren wurde wurden wird werden hat haben hatte hatten es sie er wir ihr nicht \
kein je pro für über unter mehr weniger an zu bis durch gegen um \
le la les un une des du de en au aux et ou mais par sur sous dans avec sans pour qui que est sont était étaient a \
ont avait avaient il elle ils elles ce cette ces ne pas plus moins soit \
el los las una unos unas del al y o pero con sin por para entre sobre es son fue fueron era eran han había lo su sus \
se más menos \
il lo gli i uno dei degli delle della dello nel nella nei con senza per tra fra su e ma che è sono stato stati aveva \
hanno di da più meno dal \
het een van op met en zonder door tot uit naar bij zijn werd werden heeft hebben niet geen \
och eller av på med för till från i är var har hade som \
w z na do od i lub oraz przez po za jest są był były \
o os as um uma do da dos das no na nos nas ao com sem e ou mas que foi foram é são não ";

/// Words before a number that are rounded.
pub const ABOUT: &str = " about around roughly nearly almost approximately approx some circa ca c close rund etwa \
ungefähr fast knapp gegen environ presque près quelque unos unas casi aproximadamente cerca alrededor quasi ongeveer \
bijna omkring ungefär nästan około prawie około cirka noin около ";
/// Words before a number that is a lower bound.
pub const ABOVE: &str = " over above exceeding exceeds exceed exceeded beyond topping topped least minimum über mindestens \
wenigstens oltre almeno minstens över minst minst ponad ";
/// Words before a number that is an upper bound.
pub const BELOW: &str =
    " under below beneath most maximum unter höchstens maximal hoogstens högst under poniżej ";
/// Words before `than` and its like that say which bound it is.
pub const MORE: &str = " more greater higher larger bigger better mehr höher größer plus más mayor più meer mer mere więcej mais ";
/// See [`MORE`].
pub const FEWER: &str =
    " less fewer lower smaller weniger niedriger kleiner moins menos menor meno minder mindre färre mniej ";
/// What stands between such a word and the number.
pub const THAN: &str = " than als que de di dan än end niż do da del ";

/// Words that deny, wherever they stand in a clause.
pub const NOT: &str = " not no never none nobody nothing neither nor nowhere hardly scarcely barely cannot cant wont isnt \
wasnt didnt doesnt dont failed fails fail failing unable refused refuses stopped unlikely rarely seldom without \
nicht kein keine keinen keinem keiner keines nie niemals nirgends kaum weder ohne \
pas jamais aucun aucune rien ni guère sans \
nunca jamás ningún ninguno ninguna nada nadie tampoco sin \
non nessun nessuno nessuna niente nulla senza \
não nenhum nenhuma ninguém nem sem \
niet geen nooit niemand niets noch nauwelijks zonder \
inte icke ikke aldrig aldri ingen inget inga intet ingenting utan uten uden \
nie nigdy żaden żadna żadne bez nikdy ei eivät koskaan ilman \
не нет ни никогда без değil yok hiç nem soha δεν μην όχι لا لم لن ليس לא नहीं ";
/// Of those, the ones that deny only what follows them.
pub const NOT_AHEAD: &str = " without ohne sans sin senza sem zonder utan uten uden bez ilman без ";
/// Words behind one that denies which take its sense away: `not only`, `no fewer than`.
pub const NOT_BUT: &str = " only just least fewer less more later merely counting including doubt matter nur zuletzt weniger mehr solo sólo \
solamente seulement soltanto apenas alleen bara ";
/// Words that deny a whole sentence, the next one's "this" included.
pub const FALSE: &str = " false falsely untrue incorrect incorrectly wrong wrongly myth hoax deny denies denied denying \
refute refutes refuted debunked disproved disproven disputes disputed misleading fabricated retracted erroneous \
erroneously mistaken mistakenly falsch fälschlich unwahr widerlegt bestritt bestreitet bestritten leugnet dementiert \
faux fausse démenti dément nie nient réfuté falso falsa desmintió desmiente niega negó smentito smentisce errato \
onwaar onjuist ontkent ontkende falskt felaktigt förnekar nieprawda zaprzeczył ложь неправда опроверг ";
/// Words of what may be, is planned or is asked.
pub const MAYBE: &str = " could would might should expected expects expect forecast forecasts projected projects predicts \
predicted plan plans planned planning aim aims aimed target targets hope hopes hoped intend intends intended proposed \
proposes if unless perhaps maybe possibly potentially allegedly supposedly will \
soll sollen sollte sollten könnte könnten würde würden dürfte dürften plant geplant erwartet prognostiziert angeblich \
pourrait pourraient devrait devraient prévoit prévu prévue prévoient \
podría podrían debería deberían prevé previsto prevista planea \
potrebbe potrebbero dovrebbe dovrebbero prevede \
poderia deveria zou zouden gepland verwacht skulle väntas planeras mógłby planuje ";

/// Opposites: words that mean the one, words that mean the other. `*` stands for any ending. In the first
/// pair a claim that says one of them needs a page that says it too.
pub const OPPOSITES: &[(&str, &str)] = &[
    (
        " rise rises rising rose risen increas* grew grow grows grown growing growth climb* jump* surg* soar* gained gains \
higher raised raises expand* expansion doubl* tripl* escalat* swell* boost* rebound* upward* uptick up \
stieg* steig* gestieg* anstieg* ansteig* wuchs* wächst gewachs* zunahm* zunehm* zugenommen zunahme erhöh* \
augment* hauss* croissance croît progress* aument* subió subieron sube creció crecieron crece increment* crebb* cresc* \
cresciut* salit* rialz* aumento subiu cresceu steeg stegen stijg* gestegen toegenomen ökade ökar ökat steg stigit \
växte wzros* wzrós* rósł steget øket рост* вырос* увелич* 増加 増え 上昇 增长 增加 上升 ",
        " fall falls falling fell fallen declin* decreas* drop drops dropped dropping shrink* shrank shrunk lower lowered \
reduc* plung* plummet* slump* sank slid dwindl* halv* contracted contraction downward* tumbl* diminish* dipped down \
cut cuts fiel fielen fällt gefallen sank sanken sink* gesunken senk* gesenkt rückgang* abnahm* abnehm* abgenommen \
abnahme schrumpf* geschrumpft verringer* baiss* diminu* recul* chut* réduit réduc* bajó bajaron baja disminu* cayó \
cayeron descend* reduj* calo calat* calò scese sceso scesa ridott* diminuì caiu queda daal* gedaald dalen afgenomen \
minsk* sjönk sjunk* föll spad* zmniejsz* faldt falt sunket снизил* упал* уменьш* 減少 減っ 低下 下落 下降 减少 下跌 ",
    ),
    (
        " more greater above exceed* exceeding larger bigger mehr größer oberhalb plus más mayor più meer mer ",
        " less fewer below beneath smaller weniger kleiner unterhalb moins menos menor meno minder mindre ",
    ),
    (
        " first earliest oldest erste ersten erster erstes premier première primer primero primera primo prima eerste första ",
        " last latest newest final youngest letzte letzten letzter letztes dernier dernière último última ultimo ultima laatste sista ",
    ),
    (
        " before prior until vor avant antes voor före ",
        " after following since nach après después dopo na efter ",
    ),
    (
        " highest largest biggest greatest most maximum best top höchste* größte* longest fastest hottest warmest richest ",
        " lowest smallest least fewest minimum worst bottom niedrigste* kleinste* shortest slowest coldest coolest poorest ",
    ),
    (
        " profit profits surplus gewinn* überschuss bénéfice* ganancia* beneficio* utile vinst* winst* lucro* ",
        " loss losses deficit verlust* defizit perte* pérdida* perdita perdite förlust* verlies* prejuízo* ",
    ),
    (
        " income revenue* earned earns einnahmen recettes ",
        " expense* expenditure* spent spends costs ausgaben dépenses ",
    ),
    (" export* ausfuhr* exporta* esporta* ", " import* einfuhr* importa* "),
    (
        " bought buys buy purchas* acquired kauft* achet* compr* kocht* köpt* acquist* ",
        " sold sells sell verkauf* vend* verkocht* verkoop* sålde sålt ",
    ),
    (
        " won wins win winning victor* gewann gewonnen gagné ganó ",
        " lost loses lose losing defeat* verlor* verloren perdu perdió ",
    ),
    (
        " accept* approv* adopt* pass passed ratif* genehmigt* angenommen approuv* aprob* ",
        " reject* refus* veto* dismissed abgelehnt* ablehn* rejet* rechaz* ",
    ),
    (
        " support* favour* favor* endors* backed befürwort* soutien* apoya* ",
        " oppos* against gegen contre contra ",
    ),
    (" includ* einschließlich ", " exclud* ausschließlich "),
    (
        " men man male males boys männer hommes hombres uomini ",
        " women woman female females girls frauen femmes mujeres donne ",
    ),
    (" north northern nord* norte ", " south southern süd* sud sur "),
    (" east eastern ost est este ", " west western ouest oeste "),
    (" left links gauche izquierda ", " right rechts droite derecha "),
    (
        " urban inside indoor* domestic public städtisch* ",
        " rural outside outdoor* foreign private ländlich* ",
    ),
    (
        " start starts started begin begins began begun open opens opened opening eröffnet* begann ",
        " end ends ended close closes closed closing shut finished schloss geschlossen endete ",
    ),
    (" born geboren né nacido ", " died dies dead killed starb gestorben mort murió "),
    (" surviv* alive saved rescued überleb* ", " died dies dead killed perish* drown* getötet "),
    (" arriv* enter* ", " depart* exit* leave leaves leaving "),
    (" hire hires hired hiring recruit* employed ", " fire fires fired firing dismiss* sacked redundan* "),
    (" add adds added adding ", " remov* delet* subtract* "),
    (
        " plant plants planted planting build builds built building create* construct* ",
        " fell felled felling demolish* destroy* destruct* ",
    ),
    (" guilty convict* ", " innocent acquit* "),
    (" success* succeed* ", " fail fails failed failing failure* unsuccess* "),
    (" allow* permit* legalis* legaliz* ", " ban bans banned prohibit* forbid* forbad* outlaw* "),
    (
        " faster quicker hotter warmer longer older earlier early ",
        " slower colder cooler shorter newer later late ",
    ),
    (" positive agree agrees agreed healthy rich ", " negative disagree* sick poor "),
    (" strengthen* improv* better ", " weaken* worsen* deteriorat* worse "),
    (" accelerat* ", " slowed slows decelerat* "),
    (" day daytime daily ", " night nighttime "),
    (" summer ", " winter "),
    (" cause* caused ", " prevent* cured cure cures "),
];
