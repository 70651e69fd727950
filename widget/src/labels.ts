// Per language, between commas: its tag, the pattern of the label, the four that
// fill it (verify, sign in, sign up, continue), and what the status line says (a
// window opened, not completed).
const catalogue = [
  "en,* with %,Verify,Sign in,Sign up,Continue,Window opened,Not completed",
  "de,Mit % *,verifizieren,anmelden,registrieren,fortfahren,Fenster geöffnet,Nicht abgeschlossen",
  "fr,* avec %,Vérifier,Se connecter,S’inscrire,Continuer,Fenêtre ouverte,Non terminé",
  "es,* con %,Verificar,Iniciar sesión,Registrarse,Continuar,Ventana abierta,No completado",
  "it,* con %,Verifica,Accedi,Registrati,Continua,Finestra aperta,Non completato",
  "pt,* com %,Verificar,Entrar,Inscrever-se,Continuar,Janela aberta,Não concluído",
  "ar,* باستخدام %,التحقق,تسجيل الدخول,إنشاء حساب,المتابعة,النافذة مفتوحة,لم يكتمل",
  "zh,使用 % *,验证,登录,注册,继续,窗口已打开,未完成",
];

/** What stands where in an entry of the catalogue. */
export const enum Text {
  Language,
  Pattern,
  Verify,
  SignIn,
  SignUp,
  Continue,
  Opened,
  NotCompleted,
}

/** The texts for a language tag; in English when there are none. */
export function texts(tag: string): string[] {
  const language = tag.slice(0, 2).toLowerCase();
  return (catalogue.find((entry) => entry.startsWith(language)) || catalogue[0]).split(",");
}
