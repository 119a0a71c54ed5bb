public import SessionRSA
internal import SessionTokens

/// RSA keys for tests. Generating one takes tenths of a second in a debug build, so tests share these.
///
/// The private keys are public. Never use them outside of tests.
public enum FixedRSAKeys {
    public static let count = der.count

    /// - Parameter index: 0 to `count - 1`. Different indices are different keys.
    public static func key(_ index: Int) throws -> RSASigningKey {
        guard let bytes = Base64URL.decode(der[index]) else { throw RSAKeyError.unusable }
        return try RSASigningKey(derRepresentation: bytes)
    }

    /// Private keys of 2048 bits: PKCS #1 in DER (RFC 8017 appendix A.1.2), in base64url.
    private static let der = [
        """
        MIIEowIBAAKCAQEAqrQi1HsuhBBZvz_MH2P6fbiYV1uXQtRCytUUk1qAk62mO4SYItKvJFmUVgY5nehO9Wl-jRGyACI35fGz6NK6mXGqoAZ1dh\
        VRvutKqYawr0OFkVNb95CGRjpv9QXUl9_qB50yC2wBL1rqBuUK_VT4VvgpNBlXnMvDWW4S3RyvBQTEyAOrI-NVC5T0IFiilhNXlKMreSE4aebq\
        IpkLiCTxrZA_Z9saXuqjb0n647L3C6EyaSdn3rCsinkDEp2F-fsdI18a2bYsXxjQXc84tW1S4L9E8XVObTNLTdkL6P9Nwm4AWSSeLbQyFNSkvw\
        7JwhnnY2ymXYE3WDYq8VQA7psiZwIDAQABAoIBAAlDJPCqjmeUC4qZB5ZccmcH8RwsWBTEN6uRzEAClR9uOKraEvcwv1gVlDrms5Gh3UbrpnY5\
        E5N2R9ouNzjW1lElHcD5GL6DgZ_-XFq-eC_KViEAiOjx6pc87H47BsIG4Efxe5mrDpVnNXOSUfpU9fSiGno9NcfINp1Pn65ntAdtmBJk05vfm8\
        g67oLKhmLWosgsWMUmAarZw8uCEAEgaGmmuwzp-NdbewFvQY8KQoU1-txdmqNFeL8hvhD8_f0atotFTMDdkeftNy5Eg0cZCEGYFpUl_9hNBSem\
        bPbxNEPntD_286B4jmYkPkTlD5lYgx92R4vn2jQT6_X6j5RH04ECgYEA4AD8HILWuCKTocVfhtzpDumnuNfOfnSGMaM8BklGiECvnpy_u4PROE\
        kmQ7_npUpKTAF05TYD-jR2g1Kn1nuEY4Lxzh0lnwz3yKYVUA1mH22baSSXRTp_T7vIgvIUfJL0eLrAwcrhcOLyi1-Rh7_8no-SFV3Gg2RdC_s4\
        tJjXcNECgYEAwxYnqjkmjfKZvss0WBj7zhS6TMybFzJ3kT4mV6liw7KgXJJN7QOt1n5hszsh4lnsotpGBQsmgQz5xhq8dE95oUt9ItNvPJVJso\
        R9nPMqF1QD4cIrtvZ00FPlAhlRGfXiVmaVIdOxJOyU5StqgS_khZb-Dq6RFZPNmX9IrzCo7bcCgYBahYtcKjODLdXjJdO4uEUmVZ4FwJAd4hDo\
        tkJnd-0c2qcdvdJtgJNn34erET4XObJUjLIkfnOVBOZvo1NYBYo2fJAi7vxpDeCEITmzo_aE9NI85yCKRV11ZzlcUV-eB_TrZOzIY6g-6jeBwx\
        kYdqkrmnE6WS8DoedIFDmSIcHOQQKBgHAkhy6R5bjJUVnc470Ut4LyZVmKcEi4aQUj7dSMeUq3nvk33PW3HLHlOnJWNpcwTBgdUwzJKRwcAmS_\
        r79IhEmU5F0ln5b61j95a9_R5Es-r3CSNqDZMbMj1swLE5TRxIcYNvgYAYeRO9I0z-dtSXcFogt8i8gUi6aGBZk3ZpQnAoGBAM9epaN3vKhvoT\
        63c1EUeIAzz_gcPzjVaYAOhhHAJsJAhLxGzuKf7qtMgFzyU_oJK7kFn_eW14ZCx9Du0Adtg4ztmgu6ZwD-Kb6GpOpvkN7YVFbyTpNbcOn103Id\
        hQDhM3dEeB4S_l05U0AzGBoa8aL64sCxe_J0qzTUyMf8yEkH
        """,
        """
        MIIEpAIBAAKCAQEA8oE2Efow9ZORxYIILnVSkv_QQCz3QOUmJSQ_Mj1V3FyLg4Silqx_eIO2PpPhvHVVz2sNwFzaPHKAh4kF_-2ajQRPjCd7iQ\
        os-_ipwHJLsDvTHRbByLY2MbrvxSE38dTEGlTL2nlzeSqOwmEojbdl8lh3rKO34T6qSo0NAcPaUVcTAada0LI83qFi4rVTjFxdn5nTApyXnY5b\
        ucRhZXs2nXm_3Zke2gQRgp74ZIpIKjR4F815W7f07Eh61GxYn5NjhJLTUFRn6WGv5aNmvm5sVuSKdtUlpTrnurfChc3ifn6Es3s-8aX-u8my-s\
        CWKDgA_7BpljgE969VjGr8rVdJawIDAQABAoIBAGdU-oq3fqQt0MgFq-HL-TcNDRpDbsn2uoXKB6mrLApdXs9YNYWZlClwijfpAJ-yqbFbzvzA\
        M_fc3HqkPuu6PYhIJXM1obSXouptHzwTF8BNBZyYBVO2nKodGyz3BiUkQblsl36NENC4-yLFjqewVZ7p5nioPGKctqhUqQ2u_Dh62w7eDHkpJc\
        0ckxhcJta9bISppSVzlQt-9VNNwfJ8MGimb0674uUPP-n2NH1oPhyaMKR7XaNZzVabKKkFi9dKXwSY4pT92Lr4p0-YenhiDRVvT4S5-ccXsWbY\
        M1Ks5dxPh7Vm4Fq5zV9VA0RTmT5BVuJxN6GmJSL3qPKWdrQ8vPECgYEA_TpYUfouiPV9dpOx1MrFkbOgLaqTsP25aGDroJHnB6Csm0WT_urbCi\
        T2rGYn6rUePryqlEuULTIBwIOn7dVRvNvDgIUfx89u-RMaA7DFzI4b4BfxJpW98XfASJqDM-UYbv6-a9SYW6TlHjYb5CRvxOtYImkTCkcjb65G\
        _CmgzRECgYEA9SjQsDmz9s-Xo61Y0nMYvpnZUJLNzLZfwz-p2xon_0qyZwgrnLzV2GxKtXdoer0uDCfCJamkLMidJ3fgnxc5BGiYG4CtLo2LKI\
        faX9ds0BBSSgzPy9erRTbUDW4xhIGBXci8NBofdj30oc9dnKSGR5YcY0HBJTJ3clJLiaVBnrsCgYEAhYBYBcgG9o-t-HC_JTdN15XCkbDHMl1h\
        fSTztHCXQ08zEJ0q_A7nMb7xCUzGKJgZ_OtMZug9k2I0yEDgrKN090NJG52TdqzmjYvDgESW01PsYEVfDn-NZxtCFUTYfOh_7CyDSagINvCFFl\
        ticvG-tyt4CJQqxJVimkNgCxsLOnECgYEAzcPqFF76G2d1YN13tXsBA8jhSu1MakuP6LKgf9NeSrmJL0z-PdmIqtOJiPGl8Y6i_XTJUQ8nSqc-\
        sAe_sgetxXN8Z2kC8hW-_M-5i8OmAqQQTTKfnflwOPGh3Xvld8-youJ-hESAr5-kmcMQUQ8N3Tuyq-ReljfbZUqJOAhKIU0CgYB6VaeW7e1otf\
        jkTuJtkN8HD1DDNvuRs8Rv5olJFyvwdR7WXRfjPCnL8v7-z0zeGgx3_65ql2nEijFY9cOmWv7h7Il4g4yJw8wxPWrBXNz2xCaZCh7r1Td6gdLh\
        0WBqZ7aWq32__ZozvJHvgtwbZbv1dYuLETBr3re9kxETkdrJkQ
        """,
        """
        MIIEpAIBAAKCAQEA_L4i6b0PxIneN6rUrMvDjMQYu1Ii50tr495YCxMjFCnDETkaj4elvzwLT7OeQ1A-9xcGQNu9j2S77Pnf-_m8tZLkGrdsz7\
        hKuY59IaN8kaYjnpeIXzIWslpfnbHZEwGX5hNscGuIsnteySkAsFIbS2Su_lebhIan5H3dj-zts_XA9Xl9qzR3WxNcaV_nDzGowx0Y0g-aMg7p\
        gnPi7Y_ZA4HtCLIlMfr-Wd-_3XpRkkhxNCA0q61U38TdlJiO3p2vOBvgr1EoM4Kanv33obblu6TyoynCkSvBPGCQIKwRHCWl1rFA0Ej-mGmiJD\
        Y5JTpgkZZUr8am_1juJmEyv4kELwIDAQABAoIBACity6hrlcxFf77dn9cOAXPjI13m9ZeHnp5cQjcfcI_FZvrwgh4O2vZhdNVHrNXbERSrn9s0\
        OEQ065WpOXabYVb82k-TLTrDnUH_X-mC9ZZAXiRKRxiXUxWIETKsQNWGdfXXM3wRUBJLZAakMv2uFsGMO37UB-5ieUb_8SIXTsJIyPublLLsQL\
        eU80CFVAWim9_xZeFnkIGeFQuyMppxN81edv-ti2mHH9w3s2-Po4d0IB-1aRQjQZaQv2gOpxgaQNcZBHpa0QGHecdH8PaLWigUuIkH12Ffn4x1\
        DfCSSme8XOBlfPWS3_nBPs0IfOSiHBK50xCMcmjvS8YHoAsxIWUCgYEA_uyzECOYhxRSKAoLUrdfBrETEEFRPBLj35z8GgimMClSjY6pdDqB5H\
        upECbChH1DRKTIu2x84wN65zDq5ayeUB_9vgXWOhS1UEIobjoC9HYQ5hRC2vfxL9U4c3JdhtBBkHumMwtGTLCEwdSWftx6WwYsv4lGw8o6Sd8w\
        mMFKUNsCgYEA_c8UpDJrfjaTL3E7OIDvt0fmJJoDDH6bM2cdRqwRzLVixWjg2brUmajUw0jtsZMFMUGOhbQ92B3l0Y-XwgmC7SPLe74jfXbov4\
        WkZ7HnViuZxRLzsWEJU6nDHMqEyIwhUzh_qBk8_D6ctIF1aU02KkrzZQfmOr8xUfnXSqXnQD0CgYEA0m3s-buIYqihkK-J3UPEyy9MPzTLq70k\
        ISfi6lKNbGAP5w4GTw0kv8hcLBryoo8MAhPMJvpMtM_gmgrFO8WcASQHPt5ukg8aBCA4Y5S7b7QuCt5auYnFq-hj6thS37_0_yEydhwucYucaq\
        vjduDkl1KniYv1wBSkvOnhoZack9UCgYA7P9M-vXJwhUb4xUMg3qCXNZaZJsbdbNTIPCMOc264TgOft-r9iOrGcC4y5FxwnrSQmhAuUDQ7tkcH\
        E7FGn7fLqhZ_bZSVXmPZCdamSlaJvCXqZpEy8EcgG7orh29V7bh91-udDz84V1l3nd0N1vN1DgghpqVtQ2K9E0jZ6T7BtQKBgQCBqR67K7fZ_y\
        xdp_RZ8XcCFXpOIkn86NeM1qZuqtAJFdFYn2t4qFvHr5xfx0TXFM-z0NugJqcWq71PXfVMu5wRkGigBJNWjLvjWFgwi_T0jNF6-nfiNUQswRSU\
        VsI7BFIcjBXhpFyNbLIkzXW17ImBPbHczVZmU-Xk-R0-e1RHDg
        """,
        """
        MIIEowIBAAKCAQEAlcelmE2QUnSALI-Phgrqn-3P1ZVb3hYPolBoWpZyQ_ArFTvZle_758zSZV3GFRt7gyt7XykILrrae434Lv1KNJ6OIQ3ARb\
        w-EgK29YUUlJxx-b2SIGBjRVCXbY_XoOWXcAHrjPPiiVtLODtXsWBF3xY2gSlZIkPbIq6Ewurkb-edrT_5xHrPqWlwz2e5aJZk45WVtppv5kwg\
        jqUN0blQhWXNZBWsGYmQsjiY2kuAmqu7kv7jSP-91dS3msgpuj4R5Y8n9DVuxB_btW2kMExKBY9Ltytu4R7gxdavqObSwHXdmSUPdcYzkGELj6\
        t5CaeuVwbkLvXxl2eYY3aTsTzRDQIDAQABAoIBAAdLig04-eaKNhP1ihAFSBgyBQVqGOdgO7K0J-EBot8cO3z1RUvAPIy1tSmqv5MXm5Rv8bpY\
        zUU5ZJrP916Sh6K4dkO137-Fw6As8axTpwT1-bcoPI3HJA6kNjvn3aDAjfeuoEJlPotiHu_GNCc3gS-0bUMtOGIq2-l8horX1fh9RGC_5awhGA\
        pTkrWu3Fhj51A_UU-4-8Nb9tjRRKFBuGZe-LkqozGyRO4KG5CvHMqMsxZqT1znJgWFjUI9q87w_mP2Lkhw1WUo6Dt6WDYYyEpbO0jQ9SDBgeIf\
        nmeDlAhm1-0lU1J0huI-ZspN_y7jBMHTt2coliESHtgObZH_UyECgYEAzMIrwzmG4N5nHsCartm8DIeRYjAHC_V6tK78p52i5MIBzTdQhtSIsB\
        36OLrKeKdgtP_082RYNHKXFsKWzaTrBmQlHiTbq6sEIuQhEa6NDfvgOxOaaY5nNb5Q__50N_I9AB9JKkb_g7Jor2d0Zz24MCMrakKV488urpZl\
        LOZy5S8CgYEAu0NHBr29D-HRJ5x4L9TEjevYcnrXwzEAFN-mCZwo5QTieCTNIv9Fo5oYZGPw32VhB5uWoGW8eZ1XEciPMLnU3OmhCUdmxIrO8E\
        kSiDSsweGfNs9_OIOWvA--GuIbtCaIZdFWZ3IoGnjQf2OAF9Isy3KyUKFO8rOrxGnWkHZYloMCgYAHZslwMCco_8EYgnvU8Df09_2QYA4RJ5l8\
        6IpngLI_tKeeBG7bwNkEDMFbxZzGCb7cLBhtp-XsV2wQvY339wsr2vjggxKRvQfUPwzW98lPhRhQ6l99i1E9xxhkeI047H-5_meFqLVZzFwuYv\
        35MWj0DIFoQOnsJzQXyYX0vovOrwKBgC5RW7YNJEBTaHpVt1yNUfiQhz75p3h-HDkNgHIMEAllheaVo6-uWDk5GiNqnN-EodVR5JXT1CR4iFq7\
        sr8ol7_0gYJcCM1AUCMaz9ykur5R4iGafSsrURM_CZR4rMWIamBUwPxhPg4eJ-P6Zmp979p6iiRrYa2iRzATxaCBxTOlAoGBAJVihvPOQ0iwb3\
        tQgDcwIPNWMIopyhjkmeGXfYt1Oy4XIjweTuFWiDqd6RXm28tro8ACpyxFkeS7nvLxgDC_OTYVVMLrJ9KOU5nO4t6H9yQL6qEvG7HLCKzLwYFu\
        K1BlWHUh3lVCV_tzOXXECD8dKHB35OxWSyy17VUf-BGETUr3
        """,
        """
        MIIEowIBAAKCAQEAq0c41NNpuOIS6pNa06a3gFg6Mz723mdsmlPdIqkOoVjJfIcSIo0rOVsnRcUBSTNoldf6WTgsp9Ji6l9p_F7CtvKYcIvwVL\
        VmSq8rkVAF0UnCig8Ggg291L8YYobhXeg-5SPULS1piTdAPcyn5TtvbMDVY0sEZyPLv8Oy-wD_A0sjTFhQ-KydlSAnw219OY2AE8d4EyuEJ0gs\
        WjBeJ9xfJ89EkjXHwHiL76vh3rtRT6KoyYfGefwasgObwIMs-T9XUnPZ52su6q8aygql6fZ5IlrkqKhUzmerJL82jLLEPccpthV82wNSmb4o08\
        -rKhutKMp7WLD_qHhVTPuizM1YTQIDAQABAoIBAAY7hj0cyvrYFWDMfI6dFo3hmcge720AnAFq-O4F1tXk3RgXR_HEXYTYc0wsFnrkM-VJwamY\
        zED4bh0-TgitQ2cNhROmBbwC7WD5rbfYDtU_IcFwjsCfqA1_5_0kEHQEAnpWFYoe3iQlUf2ttD7G16wjwYq7wmzsJ8H89vGOoEctkLo0B8MQdg\
        HenU9Ej40hjHCsyFEAeznOfDbuo4VP0FzfxOCxMIc0-9PjD3nxUR_FyJRmw4KkYlOee0lc5PrQJIm0F7hagvDu27rH-C9p6-f1P7draOwdJOUm\
        IsFmYhTmun70gR_HOqi3VmookuYAB8UgqMN2BIKWXhY4iZVxh8UCgYEA3k1jqoZaLgbVrGeITZdqaDcUDaBMB_vLSl5plATG77U5pYGxhtbEUR\
        CbkOjZW0h4yELPED13o0htUY_U8RExvaCvm7e5pJTZoLChOOrZUBEZh_7XfVeo-nAslPSoxhsFFwXqoav83c4GIMIcHFocLQ9vvlG3YMgvaswT\
        m8OkBKsCgYEAxT3NyD0sSK80KH_SqIED_xzGfSNvBSBXwAptZF1u1MT6OH-Ex1ExFVZi9W2xWWwUhliuJ1Ayffjki1rZR4T7aLZ1PMRJDDOx7v\
        S4JqF-0wLwBwkdalGVZXJ3nR-LYNdTOU6-V9r7XUrj6SK2FJPU2TRS_DroNaV4tW8_DDPTZucCgYEA0npNqnBIxBl-iB0CxgxeGExF9VzXgBuc\
        cE6SAi6_uMhKy3TPhE6mU-a4lGyTF8W3bk0rRkIcm4IA11-qi5DvGo8glfxPjg_NOkLic0SQ-ykllkjo-OldubkpzOMVRXThzdmxPN_drJjb3n\
        pLKWD8GoHqGDXAvabsll6hFjMXgb8CgYBcYuOFfCnG7dHHen_Ij424q9jI-pTg2NJhUEEG9sCYBp-RYSFnXr9X2DvH65ZbZUWD2_vOzECqQq-C\
        Go6VclN0K6pkSShR_9DDNXsgFRrbaY_WK83MY-RPPTuLrB_Tv2fq-tgrPJXqj86K_8g7gTb8ega4wDrODfCpQy9L3uaRVwKBgG64Cp4kDRRIr_\
        lRKBib174X68bdDxkZuZEYN875V7Hxb0qf7jdfxkDYcBEPpOHhQHTW4xBrQ5Ts9M9-iyeWUeKRa1aORAMlfYKL2Hm4GevleEu-x0NeHnfpWEWA\
        qVjeXqcgYOye5AibC3_ndTHYqS_HXwgEy0_iL0H7hvG7dbWl
        """,
        """
        MIIEpAIBAAKCAQEAviUpwtLmkQ-TDN8E8pz16JdZV3mlJ25E1HJQvKAgB6diS1Ili3dl5e0p4EztESqfyJscvHZug_FzKC1aGNaYwySHGCC6xM\
        Rho_NIO8JyIRfix9nAU3BNvbveltuCDZBrNopQgH8-9GCgI2p4-jmIYc4pD303vEjvD3GMvFyj6WwUOp869HehVNL8se-LXYW7hTckp2L1zAVs\
        MY97l0KZdaed0j4ujLaMVQc6QDuzLYKOJvC2Vx6w3Q4KZlQq3a9pj0ihgP6uxr9l2Rm2DbJZlM-Om4m4H2TGzYIGIWlY7p6_987ln6jTsFri7P\
        xKAWE5oJPEsFF-C5ydacCuT4uknQIDAQABAoIBAC8TMdHdV35x8ejVnRq4r-v37oNI51HKC8niDGmKpitm7h-yNH_hHU3tp7izqtydZiYq-tQQ\
        6R8K68T2Z3AvTu4_MKARWFQHP5owzMEYzJszV-69Ew_FRcXzyXGlYj8b8mM0HqaVej9T3cmu3kkq7cAzI3jFekNH9kGnTd3DfMQ407J5hc3gGG\
        7hiqNBHNgsqRbvy4msG0SE9YgaJQvjawpDZQS-HCAqZutmDjrjXwQbXiln2LcwK1nxahOsX_IbRKo9rg0AajtFf5Dz3H6s1p0qCxITWgHFovBC\
        -EwnuyKHlBrQn0VwEmWKqctJBhMBJAHZKcdqdstFnSPFASO7tlECgYEA50ByHL9xHuO7GmzApXpKM0uXC34u98NNV8a05sEf0vW2hM8jALF_BB\
        xVRNtS2PNphZvXQljib5zP07DGrmKFcH-aWtCUtKzJ7SD7UApHhOOgfl4i_0VGyK8EKNMly_Yp0Vo9P4yy4kvEeVf1pTSkkIeVuq1sen2DlhF-\
        7TpdzDECgYEA0n6HiV9Ap27xp13kLyraKaWje6injewgP5m5IkbXewT9YVn-L3cbGVp84TgXRsNoFo_HBgtfTQX-qwGsfuxLvLn8VSOHp8kHz9\
        x32hw_Fgc845gvN9iguY3TZDdnvJF6pUADrpXVMdLz7jU0sZZX4RDdMgja03HRP6Zi-doKwC0CgYEA5HJPyIJ-14sVPQeOUGq8fmwALQRclbpD\
        36CW-RZzv82onw6Zf4fY-FCdE8au00-zQKAxSIPSPXxl-rQ5se_17qq_61L-dHX1jOH2Ip3lBSxxUiTg4dioEnyC2Wmtfw4RRZWlx-_Qj6lV0K\
        HKM4gLwhOPILlN3ru7kDZ8cxIjsyECgYB-S8DS4b4PN_fybdltm46Okn3GwmjWNKkcwAVe1ZaQj2vgL3jdzd8KlUp8b4U3xiL79oR50fT6Z_Bn\
        dnejJ_BBam5GPy0ztODlDOk0iuInO2yDOlqKbYXyD3CYns21TKyD3ibXZ7slS-dkM7RMIWLU_aNaVAnH-HCOeizEsNjmeQKBgQC1hV2pyBIirC\
        hsck04o0SdIMxryxXQfA9vrARl3BWP0S-H1lFNHZ3Ggp5ULi3LhQ9PAEMm5LZ6m_RdLtI-4uez1_ziVCdeeveUBZnDBr0AC_PEVlgPj0oyAjny\
        RV7tvQCfDegSCOa5oqsDkJbpgQKPVVZHYhw10JYFMLoC4hO5-Q
        """,
        """
        MIIEowIBAAKCAQEAs0ThuSYhotHzxOE_Cm8DEe3OvAY_2mSVUOSxWAT014RLlATDPtbjVxFann8pH_F-xrPsFnwHwJIB3RJon11x4uUm9Dm2Th\
        tgGtAAy0S_Ddxau_dSIbhk4kHFNaBQeLiQRDv3CiLu2ujfGs3neMdFJ1PhdSK9tI_8eoZZTTjXnuvJqxugFTY5hFRJSJDoHuCt0rptGAp1MgCl\
        EwUU_8yVj_UXv4zh1T_7OTpxdkZw-MR_RnqrNsB95APqyyfbzml6cRVRTm8rTsIIDFg_7oVui0iJJoEbh7XHcp866lU5hUXdrtJTFUjkU6Cv2o\
        5X19sla-f0FNPicPwi5rFZdvC8SQIDAQABAoIBAAQxJagbNKkmiLE_ZSZ8zxERwwZRjRexx24TUvRQdVs-zDejXt9uzfUgwkI3jgIhtwm1dl1W\
        PCYsI-AECK9FU57vJdiLKvCrojUuTP5z1pXf471GfMSuF6nUyORGoesYwcLethmmFHjI_kKVswZ3fm37f6eqDs6UmV5SGu9710rvhXVWjrv5Sb\
        fEQsWpleXF8OsVd42HRSOPEUhI3A8FmCXt7zb1FNoDTwZOcZFbUGk3GqsX36OdkWm9pRV1iROvglr38gBelU2Ld964ZKkI5sypQPkXL5TwMI4u\
        3-BSr6MV7b1HsdihxQz_P2FGgrZmUoIAQr5rF7MQA6LBtelfkUkCgYEA9O1GUA2ttuxdPAiqKEQR8BiYumTApDGqSQSFUKylUnZ4uLoyqCMeQz\
        DYZ1SKA2veaPwFPcVHAmtwMt6UiybCAkpwD5i5hTUAbWTFqrOZUMm9X2EN2--bqtQn-YKBpvj0NTzmIWQL-6Y8vBPffj26L4lx01elKRfghMXe\
        8Y_9oP0CgYEAu1-zDkqD98SnXRxtdotnTo2MleKtA7qPhCw1tSSwS8g0GWFYljlpyyPzeatRuTfJH7IwJcgjMpY33ymx4PJkuiNr4YWAlR-5hD\
        0elql_UAbb_d0k9TzD6pwOLD24WbTmhsAHPBQG7A6lSc03VGWWKN0SMVSOATxsb3oNAuh04D0CgYBbj-hdPP_YBnzEWKjj7K6YB1nxNIEf4ME8\
        EsiT5DbZoRh4VoNhf99sVvJPjrcZmFXJAY4kDYACU4_aNINrkc2tdY53Bi00sx-5xZZvvjxuizyUT4AS3HxhXHalPDij5yXEUUPm77PbG8ZQuU\
        0vsHvOEZ_P1lAUEK0Kdb5mp-G1MQKBgQCMgtWJsAOKuCQxxPGpZhzQYYG9nMDV_P9GxMh50MuL6NR4-_Espl1ZgtpAsWKVnOnsJPnKO215sACy\
        D1hfMiarF4j9E9o6-hFqw1K-9NiOMLakh0QBy9G3i9NtBdPLIceF4VcLjJEsUEdPMt99ILkcZ7wO1jOvZZqDdmlvdta-mQKBgEUu_thltRMF3A\
        fqxXOGaoVYHn-kmDEY-B7xX1PtSJybkgAZMit0qmlmRZ9eiIslGYnQ59gsEsgMyjTryVrMhD1htlnwQgFyTa-ss4vqn1WXf_c50J23PF2LJiVc\
        h4OzbOV7xNWu8Cd9R85H2KdmM3pUucdbuM6dVLq9Se-fnL5g
        """,
        """
        MIIEogIBAAKCAQEA0St_NDEUsn-H2S75J5HWEsh3eONuo0lVklpigGIFG0uJtfAe9ZqnVFiiy5_1HrYwPG0MHb_QmaUKScQm_jLaf40HKpFe_s\
        EI2gxGQ0Hpd59YdxMI705cyoDKlQDOxfmJiP2GuKP9W5MNOEmk0YVAyVd7fz_upAaiEYVI0Aw6OMuBhxQpR3xsAEmApZV-gTr0RFBlV6XxGI9C\
        C7qOx0hmHPl3nTlVlDUmk9RZdqE3EYxasUM_HxcQCabYwIL3c--LhqbY_0up2JxPTS_MS21eH6C_ULUN4IvPj2LaZVcjsC5khR3E_AdNNvb97g\
        Wn8lhOGHE9Xqq24th7HnE8qaBBWwIDAQABAoIBAAqGyrKI4SFF4MN8eoZ-xOFncaJwU6znr7pF-TIRJ2-jDWL4xXNtHTcAn5oUH-UJRy6Apbzz\
        iR8fr_-xXZhVB9ZRIHIIedmOmRBG0NxpUJi4DgmEDY2O3zBDwK40qbNLO8bcohngYDY_wB5mj7he9o6LbAgl4q_M3lLNEd0tLbBA76CcruQd4D\
        99D0R6SCnMuSBRXCGXfefKqqybaWSoBFCBimXQdYjb_z5nilB_YrnAZpmqxsdyk2mnxwC3b79eDOOmtJyywufBEQKxh7QoVImhjmbwKko2gLUW\
        oiGqahy9xIG_Vh-fZUL8FOOMR7p9MIcrw42wjYqOhzmxIQjhsrkCgYEA8d2pLp1mkjEhB1gQWmtS7lYx431URTSYmWJaFair83apmQd9fvX7oJ\
        Pd9-_nrtzXQgiXwGeVYjPvk3IYgrX6T4ecVwD6nbhYxdF1azzIW-oxLK6PBcYNzNp6S2ntztuZ75A_jYTJWoPCu8vi3U_rdwuEeb2G4GnbkXUM\
        _v3CjwMCgYEA3WSzeZY4VkgXHnxfRyMY8RYYDk7UDvZABjW-cZXT6KeKDWMtGJUTfsAIvyhWa9n2DIg4ypkGyxeWLgwH0XJ2oYgvrgLDfQWAHG\
        ia0nTuQLU3EEx9q-om2ctg5wfJwFIIxn51rI6akbzKD0Udr6DJ4LzgjDNDIErnHmZJ1TisqMkCgYAEyG1gDpzIp1AP5R3tq9GoBOxXo1LXS4L5\
        BYjihMNhvSb9b7h7mkGvmzz4ejYKrzNSivj1RRcfKgfC0q7JZu_cQsJEtjA-jjazMsEvrbQInUj7qTgK1S_QrUFd3GpnfNA-fIvFMKsKrzBapl\
        2GIt51LDUicy0HoxBEgBwRrtL6IQKBgC3qbK6S0SxT1zejY79FMC8P_f05rBFOUQj4rH6yLDjcRm1wXDH0-Q4YlbfPjdzgX39J4T1jb10_jw4N\
        wLFXo_LsY7cbK6AKO_-oUjPDvIX_D2R5-LZm4ZfZ7kb7_oO8f8VrBMy85qHDHcT8-KMsHbJWeduZ5hoUbsqHPFjUYDrBAoGAAUKQzZZV-41vnA\
        TVhV0djOBWVTb3OcnszdKdJcOSVKgVkLmT-48ZiXs3YOAa2QORk1evU_X_4mDNnUkZ9HDiCmFkZ09O9Go-ZqO37y4JhZYnLnKWHXRXUXQTQOQo\
        XvgKI6wKnlyTmbL30sCPP3gXQ8EeQRuq3MC4OtaIo28JHCU
        """,
    ]
}
