//! The demo model: no key, no network, in any folder, in two languages.

use crate::support::process::{Place, argument, of_type};

#[tokio::test]
async fn it_uses_tools_as_asked_in_english() {
    let place = Place::with_demo();
    place.file("plum.txt", "the plum's own words\n");

    let ended = place
        .run(
            &["chat"],
            "What is in this folder?\nread plum.txt\nwrite a file pear.txt with the content \"a pear\"\nrun echo $((6*7))\n",
        )
        .await;

    assert_eq!(ended.code, 0, "{ended:?}");
    for part in ["plum.txt", "the plum's own words", "42"] {
        assert!(ended.stdout.contains(part), "no {part:?} in {ended:?}");
    }
    let written = std::fs::read_to_string(place.work().join("pear.txt")).expect("it was written");
    assert_eq!(written.trim_end(), "a pear");
}

#[tokio::test]
async fn it_uses_tools_as_asked_in_chinese() {
    let place = Place::with_demo();
    place.file("李子.txt", "李子自己的话\n");

    let ended = place.run(&["chat"], "这里有什么？\n读一下 李子.txt\n运行 echo 你好\n").await;

    assert_eq!(ended.code, 0, "{ended:?}");
    for part in ["李子.txt", "李子自己的话", "你好"] {
        assert!(ended.stdout.contains(part), "no {part:?} in {ended:?}");
    }
}

#[tokio::test]
async fn it_says_what_it_is() {
    for (asked, says) in [("who are you?", "demo"), ("你是谁？", "演示")] {
        let ended = Place::with_demo().run(&["chat", asked], "").await;

        assert_eq!(ended.code, 0);
        assert!(ended.stdout.to_lowercase().contains(says), "{ended:?}");
    }
}

#[tokio::test]
async fn it_works_in_any_folder() {
    let place = Place::with_demo();
    for name in ["empty", "two words", "目录", "it's \"quoted\""] {
        let folder = place.work().join(name);
        std::fs::create_dir(&folder).expect("it is new");
        let mark = format!("in {name}.txt");
        std::fs::write(folder.join(&mark), "").expect("it can be written");

        let arguments = ["chat", "--json", "--workspace", argument(&folder), "list the files"];
        let ended = place.run(&arguments, "").await;

        assert_eq!(ended.code, 0, "{ended:?}");
        let events = ended.events();
        assert_eq!(of_type(&events, "tool_started")[0]["name"], "ls");
        assert!(ended.answers()[0].contains(&mark), "{events:?}");
    }
}

#[tokio::test]
async fn a_model_that_is_named_needs_no_key() {
    let ended = Place::new().run(&["chat", "--model", "demo", "who are you?"], "").await;

    assert_eq!(ended.code, 0, "{ended:?}");
}
